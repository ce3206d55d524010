"""Ways to change the values of a table, one file a way."""
