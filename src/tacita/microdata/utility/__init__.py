"""Information loss, one file a measure: what the masking cost."""
