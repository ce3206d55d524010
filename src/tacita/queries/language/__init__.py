"""SQL in, a statistical query out: everything else is refused with the reason."""
