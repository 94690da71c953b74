"""The frozen runtime: `agent/` is copied into every workspace and imported there as `agent`."""
