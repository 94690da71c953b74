"""Exercises of the split train."""
