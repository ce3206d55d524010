"""Steps of controlled tabular adjustment."""
