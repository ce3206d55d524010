"""How records are put into groups of alike ones, one file a way."""
