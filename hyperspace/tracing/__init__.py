"""Traces of model calls: recorded, cached, replayed, exported as spans."""
