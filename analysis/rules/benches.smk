"""Figures of the tables of gothic bench."""
