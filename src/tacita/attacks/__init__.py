"""Adversaries, one file each, usable on anybody's release."""
