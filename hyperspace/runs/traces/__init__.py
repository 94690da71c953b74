"""Traces of any size: found by listing, indexed once, read a page at a time, searched."""
