"""Builds the stand-in for preferences between two answers."""

from functools import partial

from hyperspace.tasks.pairwise.conversations import MARGIN, draw_pair
from hyperspace.tasks.planted import Plan, make_planted

make = partial(make_planted, Plan("pairwise", ("model_a", "model_b"), draw_pair, MARGIN))
"""Make the domain; see `make_planted`."""
