"""Numbers drawn so that chosen moments are exactly those of the original ones."""
