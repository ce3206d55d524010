"""What intruders of query attacks have in common: what they know, ask and find out."""
