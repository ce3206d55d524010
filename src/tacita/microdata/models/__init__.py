"""Privacy models, one file a promise: what must hold, checked on anybody's data."""
