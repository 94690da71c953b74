"""What a person asks for when launching a paired run."""

from evolution.options.fleet import FleetTerms, Member
from evolution.options.launch import LaunchOptions


class PairOptions(LaunchOptions, frozen=True, kw_only=True):
    """A paired run as asked for on the command line.

    Attributes:
        models: The two models, as people write them.
    """

    models: tuple[str, str]


def budget_terms(budgets: tuple[int, int]) -> FleetTerms | None:
    """The terms of a pair in which each agent has its own number of generations; None if equal."""
    if budgets[0] == budgets[1]:
        return None
    return FleetTerms(members=tuple(map(Member, budgets)))
