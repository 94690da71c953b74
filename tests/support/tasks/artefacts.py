"""What an artefact's seed answers, and its scorer as agents get it."""

from typing import Any

from hyperspace.tasks.base import Domain, Split
from hyperspace.tasks.shapes.documented import task_files
from tests.support.tasks.episodes import load_source, seed_agent


def seed_answers(domain: Domain, split: Split) -> dict[str, str]:
    """Return the seed's answers to a split by item id."""
    seed = seed_agent(domain)
    return {item.id: seed.forward(item.inputs)[0] for item in domain.items(split)}


def public_scorer(domain: Domain) -> dict[str, Any]:
    """Return the names of `task/score.py`, executed alone."""
    return load_source(task_files(domain)["score.py"])
