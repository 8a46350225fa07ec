"""From the simulator's files to the tables and figures of the study."""
