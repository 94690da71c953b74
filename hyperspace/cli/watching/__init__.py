"""Printing of a run that is followed: JSON lines, plain lines, or a live table."""
