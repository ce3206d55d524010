"""Algorithms that reach privacy models, one file an algorithm."""
