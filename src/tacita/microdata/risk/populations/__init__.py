"""Models of the population that a sample was drawn from."""
