"""Builds the stand-in for reviews of papers."""

from hyperspace.tasks.accept.abstracts import MARGIN, draw_abstract
from hyperspace.tasks.planted import Plan, planted

make = planted(Plan("accept", ("accept", "reject"), draw_abstract, MARGIN))
