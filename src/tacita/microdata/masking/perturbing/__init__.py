"""What several perturbative methods share: numbers in and out, covariances, blanks."""
