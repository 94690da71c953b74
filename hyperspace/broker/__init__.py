"""The broker: the one way out of a sandbox, for model calls only."""
