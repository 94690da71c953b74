"""How long many candidates take that mostly wait, by how many are made at a time."""
