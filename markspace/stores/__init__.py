"""Where marks are kept: one contract, three stores. Import each from its own module."""
