"""Tables and figures of studies from the simulator's files."""
