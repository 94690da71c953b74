"""Measurements: `make bench`. Medians and ratios within one run; nothing here is a test."""
