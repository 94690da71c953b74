"""The workspace of an agent: its files, made from the space, and what it may see of scores."""
