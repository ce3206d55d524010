"""What policies that perturb answers have in common: keys of records, and a way to answer."""
