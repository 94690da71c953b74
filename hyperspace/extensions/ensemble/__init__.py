"""What a generation and the best earlier ones answer together."""
