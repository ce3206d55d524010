"""How values are chosen that are blanked, so that every combination is frequent enough."""
