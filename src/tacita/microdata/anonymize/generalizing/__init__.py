"""Full-domain generalization: levels of keys, class tables of nodes, measures, and the search."""
