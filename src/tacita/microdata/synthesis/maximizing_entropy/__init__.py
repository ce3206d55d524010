"""Maximum entropy: the least committed distribution that has chosen moments and margins."""
