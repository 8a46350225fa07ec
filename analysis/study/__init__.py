"""Studies: from a grid of runs to one table."""
