"""Olympiad proofs, graded by a model."""
