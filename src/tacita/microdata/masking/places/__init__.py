"""Places on the sphere: coordinates, cells and displacements."""
