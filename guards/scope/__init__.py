"""The edit scope: which files an agent may change, and what becomes of the others."""
