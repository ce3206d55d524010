"""What an intruder believes of suppressed counts: counted exactly, or drawn by a random walk."""
