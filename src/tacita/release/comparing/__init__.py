"""Comparing ways to mask: many plans carried out on the same data, risk against utility."""
