"""What an intruder who does not know the algorithm achieves, beside which attacks are shown."""
