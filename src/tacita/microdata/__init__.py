"""Microdata: one record a respondent. Masking, models, risk, utility and anonymization."""
