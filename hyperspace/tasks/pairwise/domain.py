"""Builds the stand-in for preferences between two answers."""

from hyperspace.tasks.pairwise.conversations import MARGIN, draw_pair
from hyperspace.tasks.planted import Plan, planted

make = planted(Plan("pairwise", ("model_a", "model_b"), draw_pair, MARGIN))
