"""Maps of surface density."""
