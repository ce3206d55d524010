"""Disclosure risk, one file a measure: what an intruder could still learn."""
