"""Builds the stand-in for reviews of papers."""

from functools import partial

from hyperspace.tasks.accept.abstracts import MARGIN, draw_abstract
from hyperspace.tasks.planted import Plan, make_planted

make = partial(make_planted, Plan("accept", ("accept", "reject"), draw_abstract, MARGIN))
"""Make the domain; see `make_planted`."""
