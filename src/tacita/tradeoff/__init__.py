"""The trade-off of risk against utility: advice, and masked data improved afterwards."""
