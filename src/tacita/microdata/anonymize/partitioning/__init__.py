"""What algorithms that cut records into classes share: scales of keys, judging, releasing."""
