"""From a command line of `hyperspace levels` to runs of `hyperspace solo`."""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple

from agents.models.names import slug
from domains.naming import dedupe_names
from evolution.errors import RunUsageError
from evolution.launch.trust import load_domain
from evolution.state.options.option import declared
from hyperspace.arguments.launching import Launching
from hyperspace.defaults import defaults
from hyperspace.parser import build
from hyperspace.set_units import Shown
from hyperspace.solo_plan import plan
from replication.options import SoloOptions

SHUFFLED: Final = "shuffled advice"
TERMS: Final[dict[str, tuple[str, ...]]] = {
    "best of N": ("--level", "loop", "--control", "best_of_n"),
    "loop": ("--level", "loop"),
    "feedback": ("--level", "feedback"),
    "hyperagent": ("--level", "hyperagent"),
}
"""Options of each level that waits for no other, as it is shown."""

_OFFLINE: Final = "offline/"
_OWN: Final = ("seeds", "reviewer", "parallel", "dry_run", "json")  # not passed on as they are


class LevelSetting(NamedTuple):
    """What is compared with each other: the levels of one model on one task."""

    task: str
    model: str
    experiment: str


class LevelMember(NamedTuple):
    """A run of a set of levels.

    Attributes:
        kind: Its task and what it plays, as they are shown.
        options: As asked for.
        shown: The same as a run of a set.
    """

    kind: str
    options: SoloOptions
    shown: Shown

    @property
    def folder(self) -> Path:
        """Where it lies."""
        return self.options.folder(load_domain(self.options))


class LevelSet:
    """The runs that a command line asks for."""

    def __init__(self, args: argparse.Namespace) -> None:
        """Take a parsed command line.

        Raises:
            RunUsageError: It names no budget, or a task or a model twice.
        """
        if getattr(args, "budget", None) is None:
            raise RunUsageError("levels are compared at one budget; name it, as --budget 300calls")
        for option, given in (("--tasks", args.tasks), ("--models", args.models)):
            if len(set(given)) < len(given):
                raise RunUsageError(f"{option} names {_twice(given)!r} twice; leave one out")
        names = dedupe_names(map(slug, args.models))
        self._args = args
        self._settings = [
            LevelSetting(task, model, f"levels_{name}_{args.budget}calls")
            for task, (model, name) in product(args.tasks, zip(args.models, names, strict=True))
        ]

    @property
    def shuffles(self) -> bool:
        """Whether there is another seed, whose advice can be told."""
        return len(self._args.seeds) > 1

    @property
    def count(self) -> int:
        """How many runs there are in all."""
        terms = len(TERMS) + self.shuffles
        return len(self._settings) * terms * len(self._args.seeds)

    def before_shuffling(self) -> list[LevelMember]:
        """Return the runs that wait for no other.

        Raises:
            RunUsageError: The options do not fit together, or two tasks share a folder.
            DomainError: A task or its data cannot be used.
            ModelError: A model is unknown or its key is missing.
        """
        _require_apart(self._alone.values())
        return [*self._alone.values()]

    def shuffled(self) -> list[LevelMember]:
        """Return the runs whose workers are told the advice of the next seed's run.

        Raises:
            RunUsageError: That run is not finished, or its reviewer said nothing.
        """
        return [*self._told.values()]

    @property
    def folders(self) -> list[Path]:
        """Where all runs lie."""
        return [run.folder for run in (*self._alone.values(), *self._told.values())]

    @cached_property
    def _alone(self) -> dict[tuple[LevelSetting, str, int], LevelMember]:
        return {
            (setting, name, seed): self._run(setting, name, seed, terms)
            for setting in self._settings
            for seed in self._args.seeds
            for name, terms in TERMS.items()
        }

    @cached_property
    def _told(self) -> dict[tuple[LevelSetting, int], LevelMember]:
        seeds: tuple[int, ...] = self._args.seeds
        others = dict(zip(seeds, (*seeds[1:], seeds[0]), strict=True)) if self.shuffles else {}
        told: dict[tuple[LevelSetting, int], LevelMember] = {}
        for setting, (seed, other) in product(self._settings, others.items()):
            donor = self._alone[setting, "feedback", other].folder
            terms = (*TERMS["feedback"], "--advice-of", str(donor))
            told[setting, seed] = self._run(setting, SHUFFLED, seed, terms)
        return told

    def _run(
        self, setting: LevelSetting, name: str, seed: int, terms: Sequence[str]
    ) -> LevelMember:
        reviewer: str | None = self._args.reviewer
        if reviewer is None and setting.model.startswith(_OFFLINE):
            reviewer = "offline/reviewer"  # the model itself would answer no review
        if "feedback" not in terms:
            reviewer = None
        command = (
            *("solo", "--domain", setting.task, "--experiment", setting.experiment),
            *("--model", setting.model, "--seed", str(seed), "--no-controls", *terms),
            *(() if reviewer is None else ("--reviewer", reviewer)),
            *_passed_on(self._args),
        )
        (planned,) = plan(_parsed(command))
        several = len(self._args.models) > 1
        kind = " ".join((setting.task, *([setting.model] if several else []), name))
        return LevelMember(
            kind, planned.options, Shown(f"{kind} seed{seed}", planned.options, command)
        )


def _passed_on(args: argparse.Namespace) -> Iterator[str]:
    """Yield the options that hold for every run, as they were given."""
    for record in (SoloOptions, Launching):
        given = vars(args)
        for declaration in declared(record):
            option = declaration.option
            if "levels" not in option.commands or option.name in _OWN:
                continue
            value: Any = given.get(option.name, declaration.unsaid)
            if value != declaration.unsaid:
                yield from (option.flag, str(value))


def _parsed(command: Sequence[str]) -> argparse.Namespace:
    parser, commands = build(("solo",))
    commands["solo"].parser.set_defaults(**defaults("solo"))
    args = parser.parse_args(command)
    args.argv = ("hyperspace", *command)
    return args


def _require_apart(runs: Iterable[LevelMember]) -> None:
    by_folder: dict[Path, str] = {}
    for run in runs:
        label = by_folder.setdefault(run.folder, run.shown.label)
        if label != run.shown.label:
            raise RunUsageError(
                f"{label} and {run.shown.label} would both lie in {run.folder}; compare such "
                "tasks with one --results folder each"
            )


def _twice(given: Sequence[str]) -> str:
    return next(name for at, name in enumerate(given) if name in given[:at])
