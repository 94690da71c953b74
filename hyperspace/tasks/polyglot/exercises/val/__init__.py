"""Exercises of the split val."""
