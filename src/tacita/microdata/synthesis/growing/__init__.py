"""What sequential trees are made of: their predictors, and values drawn from their leaves."""
