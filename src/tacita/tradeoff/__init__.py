"""The trade-off of risk against utility: scores, risk-utility maps, advice."""
