"""Which inner cells every cell of a system is the sum of."""
