"""Pages: the reference of the documentation, and what a folder of results holds."""
