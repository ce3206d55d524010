"""What the ways of rounding a table share."""
