"""Sensitivity rules, one file a rule: which sums and counts tell too much of one contributor."""
