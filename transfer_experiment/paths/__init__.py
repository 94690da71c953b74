"""How a peer's lines came into an agent's code: what was shown, typed, opened, copied, carried."""
