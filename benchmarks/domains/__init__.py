"""A table of all domains: what their seeds are worth, and what offline policies make of them."""
