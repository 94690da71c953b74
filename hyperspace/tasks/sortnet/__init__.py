"""Sorting networks of few comparators."""
