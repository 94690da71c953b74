"""Evaluation of one candidate: its sandboxes, staged passes in blocks of items, repeats."""
