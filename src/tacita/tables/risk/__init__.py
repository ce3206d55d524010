"""Disclosure risk of tables, one file a measure."""
