"""Archives of runs, written and read back."""
