"""Who took what from whom: the published rule and the causal one, and where each line came from."""
