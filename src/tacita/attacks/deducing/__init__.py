"""What attacks that know the masking deduce: likelihoods, bounds, worlds and candidates."""
