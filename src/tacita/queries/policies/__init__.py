"""One file a policy: what the guard of a database does with a question."""
