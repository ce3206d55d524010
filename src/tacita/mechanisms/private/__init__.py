"""Differential privacy: what answers cost, and the noise that makes them private."""
