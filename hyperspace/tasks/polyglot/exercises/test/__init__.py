"""Exercises of the split test."""
