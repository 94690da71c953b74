"""Launching a run of any kind: what is asked for, found, brought together, played, replayed."""
