"""Runs that a page starts: what may be asked for, and the command line that it becomes."""
