"""Tests of the programs and of the analysis."""
