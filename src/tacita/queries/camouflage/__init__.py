"""Camouflage: intervals that a set of made-up data sets, the true one inside, gives as answers."""
