"""Ways to protect a table, one file a way."""
