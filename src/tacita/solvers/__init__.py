"""Linear and integer programs; they know nothing of tables."""
