"""Private synthesis: public domains, noisy marginals, and the model that is fitted to them."""
