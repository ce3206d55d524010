"""What substitution and subsampling need, one file an algorithm."""
