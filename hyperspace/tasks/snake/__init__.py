"""Snake on boards of four sizes: an agent is asked for one move at a time."""
