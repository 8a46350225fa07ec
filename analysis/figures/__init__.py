"""One module per figure: pure functions from tables to axes, and a command-line entry."""
