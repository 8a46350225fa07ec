"""Reading what the programs write, and what follows from one file or one snapshot."""
