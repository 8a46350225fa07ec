"""Checks of the programs' numbers: against a baseline, against theory, and of their speed."""
