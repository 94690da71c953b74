"""Evaluation of one candidate: staged, in blocks of items, repeated where answers vary."""
