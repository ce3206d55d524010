"""What an intruder can work out from published tables: the audit."""
