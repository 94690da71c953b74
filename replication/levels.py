"""Levels of self-improvement as terms of a run (shared/design/levels.md).

`loop`: a worker changes `task_agent.py`, and what is better is kept. `feedback`: a reviewer tells
the worker why. `hyperagent`: arm A, where the agent changes its own improver, too.
"""

import argparse
from typing import Final, get_args

import msgspec
from msgspec import UNSET

from domains.base import Domain
from evolution.errors import RunUsageError
from evolution.launch.setup import Setup
from evolution.state.options.solo import Level, SoloTerms
from replication.arms import solo_terms
from replication.options import SoloOptions

LEVELS: Final[tuple[Level, ...]] = get_args(Level)
_OWN: Final = {  # by name among parsed arguments: what a level decides itself
    "arm": "a",
    "control": None,
    "selection": None,
    "freeze_meta": None,
    "annealing": False,
    "annealing_p0": None,
    "annealing_decay": None,
    "seed_agent": "published",
    "controls": None,
}


def level_terms(experiment: str, level: Level) -> SoloTerms:
    """The terms of a level; that of `hyperagent` is arm A.

    Raises:
        RunUsageError: The experiment cannot name a folder.
    """
    if level == "hyperagent":
        return solo_terms(experiment)
    try:
        return SoloTerms(
            experiment=experiment,
            arm=level,
            level=level,
            selection="kept",
            frozen_meta=True,
            history="parent",
        )
    except ValueError as error:
        raise RunUsageError(str(error)) from error


def require_alone(args: argparse.Namespace) -> None:
    """Check that a command line with a level asks for nothing that the level decides.

    Raises:
        RunUsageError: It does; names the options.
    """
    given = [
        f"--{name.replace('_', '-')}" for name, no in _OWN.items() if getattr(args, name) != no
    ]
    given = [option for option in given if not (option == "--controls" and not args.controls)]
    if args.level is not None and given:
        raise RunUsageError(
            f"--level {args.level} decides itself how tries are made and kept; leave out "
            f"{', '.join(given)}, or leave out --level"
        )


def require_fit(options: SoloOptions, setup: Setup) -> None:
    """Check what a level needs, and that a budget of calls lasts for one round of it.

    Raises:
        RunUsageError: Something does not fit.
    """
    terms = options.solo
    if options.reviewer is not None and terms.level != "feedback":
        raise RunUsageError(
            f"--reviewer {options.reviewer}: nobody is reviewed here; add --level feedback, or "
            "leave it out"
        )
    if not terms.has_worker:
        return
    for asked, option in (
        (options.lanes not in (None, 1), f"--lanes {options.lanes}"),
        (options.rotate_val is not None, f"--rotate-val {options.rotate_val}"),
        (terms.optimise != "agent", f"--optimise {terms.optimise}"),
    ):
        if asked:
            raise RunUsageError(
                f"--level {terms.level} makes one try at a time on the code that was kept by its "
                f"validation score, and {option} does not go with that; leave it out"
            )
    _require_round(options, setup.domain)


def least_calls(terms: SoloTerms, domain: Domain) -> int:
    """Model calls of the shortest round: the worker's, the reviewer's, a smoke and staged items."""
    asked = 1 + min(domain.staged_items or 1, len(domain.items("train")))
    return 1 + (terms.level == "feedback") + (asked if domain.calls_model else 0)


def with_budget(options: SoloOptions, domain: Domain) -> SoloOptions:
    """The options with as many generations as a budget of calls could pay, and no more.

    For a command line that names a budget and no number of generations.
    """
    calls = options.terms.calls
    if not isinstance(calls, int):
        return options
    most = max(1, calls // least_calls(options.solo, domain))
    return msgspec.structs.replace(options, generations=most)


def _require_round(options: SoloOptions, domain: Domain) -> None:
    calls, least = options.terms.calls, least_calls(options.solo, domain)
    if calls is not UNSET and calls is not None and calls < least:
        raise RunUsageError(
            f"--max-calls {calls} is less than one round of level {options.solo.level} takes, "
            f"which is {least} model calls or more; raise it"
        )
