"""Polyglot: programs in several languages that have to be right on sealed cases."""
