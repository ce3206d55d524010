"""Steps of interval publication."""
