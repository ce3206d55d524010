"""Answers to queries: statistics of a database that reveal nothing about any one respondent."""
