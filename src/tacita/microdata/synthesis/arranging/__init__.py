"""Latin hypercubes: one value from every stratum of each attribute, and how they go together."""
