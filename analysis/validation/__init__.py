"""Numbers of the programs against closed forms and direct sums."""
