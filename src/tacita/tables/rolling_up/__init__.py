"""Roll-up of categories: coarser codes, so that no sensitive cell is left."""
