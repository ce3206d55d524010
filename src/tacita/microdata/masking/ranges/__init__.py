"""How values become ranges `[min;max]`, one file a part."""
