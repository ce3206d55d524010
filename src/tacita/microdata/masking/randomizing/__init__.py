"""How categories are changed at random by known probabilities, one file an algorithm."""
