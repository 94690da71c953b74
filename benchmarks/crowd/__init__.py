"""What an agent of a fleet costs, by how many there are."""
