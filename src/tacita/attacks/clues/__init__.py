"""Clues: what a masking method leaves in the file that it protects, one file a clue.

Each module has a function `look(data)` that gives the guesses its clue leads to; `guess_methods`
runs them all.
"""
