"""What the ways of the cell-key method have in common: keys of cells, tables of noise, scaling."""
