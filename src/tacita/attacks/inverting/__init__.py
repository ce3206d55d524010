"""What attacks that know a masking method need to undo a part of it."""
