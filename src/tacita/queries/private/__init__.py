"""Differentially private answers: clamped aggregates, their sensitivities, and who pays."""
