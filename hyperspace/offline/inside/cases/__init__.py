"""Programs that make up cases."""
