"""Processes that do the work: what takes long never holds up a page, and can be stopped at once."""
