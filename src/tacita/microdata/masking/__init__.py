"""Masking methods, one file a method: ways to change the data before they go out."""
