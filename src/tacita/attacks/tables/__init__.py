"""Attacks on published tables, one file an adversary."""
