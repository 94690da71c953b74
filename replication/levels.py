"""Levels of self-improvement as terms of a run (shared/design/levels.md).

`loop`: a worker changes `task_agent.py`, and what is better is kept. `feedback`: a reviewer tells
the worker why. `hyperagent`: arm A, where the agent changes its own improver, too.

Two controls: best of N, a `loop` whose every try begins with the seed's code, and `feedback` with
the advice of another run.
"""

import argparse
from pathlib import Path
from typing import Final, get_args

import msgspec
from msgspec import UNSET, UnsetType

from hyperspace.executor.names import LOCAL
from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.state.closings import every_closing
from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.digest import digest_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.opening import is_finished, reading
from hyperspace.launch.setup import Setup
from hyperspace.options.advice import OtherAdvice
from hyperspace.options.solo import Level, SoloTerms
from hyperspace.tasks.base import Domain
from replication.arms import solo_terms
from replication.options import SoloOptions

LEVELS: Final[tuple[Level, ...]] = get_args(Level)
_OWN: Final = {  # by name among parsed arguments: what a level decides itself
    "arm": "a",
    "selection": None,
    "freeze_meta": None,
    "annealing": False,
    "annealing_p0": None,
    "annealing_decay": None,
    "seed_agent": "published",
    "controls": None,
}


class LevelChoice(msgspec.Struct, frozen=True, kw_only=True):
    """A level, or a control of it.

    Attributes:
        level: Which idea of self-improvement.
        best_of_n: Whether every try begins with the seed's code.
        told: Advice of another run in the place of the reviewer's.
        budget: Calls after which the search ends; not set for no such end.
    """

    level: Level
    best_of_n: bool = False
    told: OtherAdvice | UnsetType = UNSET
    budget: int | UnsetType = UNSET

    @property
    def arm(self) -> str:
        """Name of its folder."""
        if self.best_of_n:
            return f"{self.level}_best_of_n"
        return self.level if self.told is UNSET else f"{self.level}_shuffled_advice"


def level_terms(experiment: str, choice: LevelChoice) -> SoloTerms:
    """The terms of a level; that of `hyperagent` is arm A.

    Raises:
        RunUsageError: The experiment cannot name a folder.
    """
    if choice.level == "hyperagent":
        return msgspec.structs.replace(solo_terms(experiment), budget=choice.budget)
    try:
        return SoloTerms(
            experiment=experiment,
            arm=choice.arm,
            level=choice.level,
            selection="initial" if choice.best_of_n else "kept",
            frozen_meta=True,
            history="parent",
            budget=choice.budget,
            told=choice.told,
        )
    except ValueError as error:
        raise RunUsageError(str(error)) from error


def level_asked(args: argparse.Namespace) -> LevelChoice | None:
    """Return the level that a command line names, with its control; None for an arm.

    Raises:
        RunUsageError: What is asked for beside the level is not for it.
    """
    level: Level | None = args.level
    for given, option, of in (
        (args.budget is not None, "--budget", LEVELS),
        (args.advice_of is not None, "--advice-of", ("feedback",)),
        (args.control is not None and level is not None, f"--control {args.control}", ("loop",)),
    ):
        if given and level not in of:
            raise RunUsageError(f"{option} is for --level {' or '.join(of)}; leave it out")
    if level is None:
        return None
    if args.control == "aa":
        raise RunUsageError("a level has the control best_of_n; aa is one of the arms")
    return LevelChoice(
        level=level,
        best_of_n=args.control == "best_of_n",
        told=UNSET if args.advice_of is None else advice_of(args.advice_of),
        budget=UNSET if args.budget is None else args.budget,
    )


def advice_of(run: Path) -> OtherAdvice:
    """Read what the reviewer of a finished run said of its tries.

    Raises:
        RunUsageError: There is no such run, or its reviewer said nothing.
    """
    config, folder = read_record_of(run).configuration, RunFolder(run)
    if config.solo is None or config.solo.level != "feedback" or config.solo.told is not UNSET:
        raise RunUsageError(
            f"--advice-of {run}: nobody reviews there; name a run of --level feedback"
        )
    if not is_finished(folder, config):
        raise RunUsageError(f"--advice-of {run}: it is not finished; play it to its end first")
    with reading(folder, config) as marks:
        manifests = [closing.manifest for closing in every_closing(marks, config.agents)]
    tries = [manifest for manifest in manifests if manifest.generation not in (0, "test")]
    advice = tuple(manifest.advice for manifest in tries)
    if not any(advice):
        raise RunUsageError(f"--advice-of {run}: its reviewer said nothing; name another run")
    return OtherAdvice(config.seed, digest_of(manifests), advice)


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
    if terms.told is not UNSET and terms.told.seed == options.seed:
        raise RunUsageError(
            f"--advice-of names a run of the seed {options.seed}, which is this run's own; "
            "name one of another seed"
        )
    _require_budget(options, setup.domain)
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
    return 1 + (terms.level == "feedback") + _smoke_and_staged(domain)


def _smoke_and_staged(domain: Domain) -> int:
    if not domain.calls_model:
        return 0
    return 1 + min(domain.staged_items or 1, len(domain.items("train")))


def _require_budget(options: SoloOptions, domain: Domain) -> None:
    """Check that a search's budget lasts for the seed and a try, and that calls come in turn."""
    budget = options.solo.budget
    if budget is UNSET:
        return
    whole = 1 + len(domain.items("train")) + len(domain.items("val"))
    least = (whole if domain.calls_model else 0) + least_calls(options.solo, domain)
    if budget < least:
        raise RunUsageError(
            f"--budget {budget}calls is less than one try of {options.solo.arm} on {domain.name} "
            f"takes; the smallest that works is {least}calls"
        )
    if options.eval_workers > 1 or options.executor != LOCAL:
        raise RunUsageError(
            "--budget counts one call after another; leave out --eval-workers and --executor"
        )


def with_budget(options: SoloOptions, domain: Domain) -> SoloOptions:
    """The options with as many generations as a budget of calls could pay, and no more.

    For a command line that names a budget and no number of generations.
    """
    calls, least = options.terms.calls, least_calls(options.solo, domain)
    if options.solo.budget is not UNSET:  # a plan of the same length for every level
        calls, least = options.solo.budget, 1 + _smoke_and_staged(domain)
    if not isinstance(calls, int):
        return options
    most = max(1, calls // least)
    return msgspec.structs.replace(options, generations=most)


def _require_round(options: SoloOptions, domain: Domain) -> None:
    calls, least = options.terms.calls, least_calls(options.solo, domain)
    if calls is not UNSET and calls is not None and calls < least:
        raise RunUsageError(
            f"--max-calls {calls} is less than one round of level {options.solo.level} takes, "
            f"which is {least} model calls or more; raise it"
        )
