"""What a Bayesian network is made of: parents of attributes, and values given those of parents."""
