"""Tables, lines and progress for terminals."""
