"""What an intruder sees in published tables, before any attack."""
