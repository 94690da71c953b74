"""Marks kept, read, watched, audited and collected: what a space is made of."""
