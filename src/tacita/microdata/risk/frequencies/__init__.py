"""How many share a combination of key values, in the file and in the population."""
