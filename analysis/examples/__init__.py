"""Pictures and evaluations of single runs, to copy from."""
