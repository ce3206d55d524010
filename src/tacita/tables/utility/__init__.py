"""Information loss of tables, one file a measure."""
