"""One module a task, each with `run(work)`, which gives back plain types."""
