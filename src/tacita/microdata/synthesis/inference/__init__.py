"""Inference from several synthetic copies of one data set: analyses and combining rules."""
