"""Synthesis, one file a generator: records drawn from a model of the data, or parts of them."""
