"""Moves that policies share: search, tuning, recombination, repair."""
