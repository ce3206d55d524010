"""Imputation: values drawn from the posterior predictive distribution of regressions and trees."""
