"""A run whose space is on a server: where that is, and what it keeps of the folder."""
