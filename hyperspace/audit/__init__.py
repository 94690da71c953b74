"""The audit of a run: what the guard did, what got past it, whether the record is whole."""
