"""Whether a paper was accepted."""
