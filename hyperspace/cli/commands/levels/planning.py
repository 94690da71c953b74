"""From a command line of `hyperspace levels` to runs of `hyperspace solo` and `arena`."""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple

from hyperspace.cli.arguments.launching import Launching
from hyperspace.cli.commands.arena import options_from as arenas_of
from hyperspace.cli.defaults import default_words
from hyperspace.cli.parser import build
from hyperspace.cli.solo_plan import plan
from hyperspace.cli.sweep_jobs import Shown
from hyperspace.kernel.errors import RunError, RunUsageError
from hyperspace.kernel.events import nobody
from hyperspace.kernel.state.config import read_record
from hyperspace.launch.playing import is_whole
from hyperspace.launch.setup import Setup, set_up
from hyperspace.launch.trust import load_domain
from hyperspace.models.names import slug
from hyperspace.options.launch import LaunchOptions
from hyperspace.options.option import Command, declared
from hyperspace.tasks.naming import dedupe_names
from hyperspace.tasks.registry import load
from hyperspace.tasks.shapes.cases import HasOracle
from replication.level_comparison.names import ARENA, RANDOM_CASES, SHUFFLED
from replication.options import SoloOptions
from replication.solo import prepare

TERMS: Final[dict[str, tuple[str, ...]]] = {
    "best of N": ("--level", "loop", "--control", "best_of_n"),
    "loop": ("--level", "loop"),
    "feedback": ("--level", "feedback"),
    "hyperagent": ("--level", "hyperagent"),
}
"""Options of each level that waits for no other, as it is shown."""

ARENAS: Final = {ARENA: "offline/tester", RANDOM_CASES: "offline/tester?manner=random"}
"""Testers of each arena that comes along where a task has an oracle; 1 plays against 1."""

_OFFLINE: Final = "offline/"
_OWN: Final = ("seeds", "reviewer", "parallel", "dry_run", "json", "budget")  # not passed on


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
    options: LaunchOptions
    shown: Shown

    @property
    def folder(self) -> Path:
        """Where it lies."""
        return self.options.folder(load_domain(self.options))

    def setup(self, *, connect: bool = True) -> Setup:
        """Find everything that it names; touches no file.

        Args:
            connect: Whether its models are to be asked; a forecast needs no key.

        Raises:
            RunUsageError: The options do not fit together.
            DomainError: The domain or its data cannot be used.
            ModelError: A model name is unknown, or its key is missing.
        """
        if isinstance(self.options, SoloOptions):
            return prepare(self.options, nobody, connect=connect)
        return set_up(self.options, nobody, connect=connect)

    def is_played(self) -> bool:
        """Return whether nothing is left to do of it; a process of its own tells what is wrong."""
        with suppress(RunError):
            setup = self.setup()
            return is_whole(setup) and read_record(setup.folder.record).keep_traces == "all"
        return False


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
        """Whether shuffled advice is played: it is named, and there is another seed to tell of."""
        return SHUFFLED in self._args.levels and len(self._args.seeds) > 1

    @property
    def count(self) -> int:
        """How many runs there are in all."""
        levels = len(self._settings) * (len(self._named(TERMS)) + self.shuffles)
        arenas = len(self._arena_settings) * len(self._named(ARENAS))
        return (levels + arenas) * len(self._args.seeds)

    @cached_property
    def without_arena(self) -> list[str]:
        """Tasks on which no arena can be played; none where no arena is named."""
        if not self._named(ARENAS):
            return []
        return [task for task in self._args.tasks if not self._has_arena(task)]

    def before_shuffling(self) -> list[LevelMember]:
        """Return the runs that wait for no other.

        Raises:
            RunUsageError: The options do not fit together, two tasks share a folder, or of what is
                named nothing can be played.
            DomainError: A task or its data cannot be used.
            ModelError: A model is unknown or its key is missing.
        """
        runs = [*self._alone.values(), *self.arenas.values()]
        if not runs:
            raise RunUsageError(
                f"{' and '.join(self.without_arena)} has no oracle that an arena needs, so there "
                "is nothing to play; name another task, or other levels"
            )
        _require_apart(runs)
        return runs

    def shuffled(self) -> list[LevelMember]:
        """Return the runs whose workers are told the advice of the next seed's run.

        Raises:
            RunUsageError: That run is not finished, or its reviewer said nothing.
        """
        return [*self._told.values()]

    @property
    def folders(self) -> list[Path]:
        """Where all runs of `hyperspace solo` lie."""
        return [run.folder for run in (*self._alone.values(), *self._told.values())]

    def by_seed(self) -> dict[tuple[LevelSetting, int], list[LevelMember]]:
        """Return all runs of each setting and seed."""
        runs: dict[tuple[LevelSetting, int], list[LevelMember]] = {}
        for every in (self._alone, self.arenas):
            for (setting, _, seed), member in every.items():
                runs.setdefault((setting, seed), []).append(member)
        for key, member in self._told.items():
            runs[key].append(member)
        return runs

    @cached_property
    def _alone(self) -> dict[tuple[LevelSetting, str, int], LevelMember]:
        return {
            (setting, name, seed): self._run(setting, name, seed, TERMS[name])
            for setting in self._settings
            for seed in self._args.seeds
            for name in self._named(TERMS)
        }

    @cached_property
    def arenas(self) -> dict[tuple[LevelSetting, str, int], LevelMember]:
        """The arenas, by setting, level and seed."""
        return {
            (setting, name, seed): self._arena(setting, name, seed)
            for setting in self._arena_settings
            for seed in self._args.seeds
            for name in self._named(ARENAS)
        }

    @cached_property
    def _arena_settings(self) -> list[LevelSetting]:
        without = self.without_arena
        return [setting for setting in self._settings if setting.task not in without]

    def _named(self, names: Iterable[str]) -> list[str]:
        return [name for name in names if name in self._args.levels]

    def _has_arena(self, task: str) -> bool:
        domain = load(task, run_seed=self._args.seeds[0])
        return isinstance(domain, HasOracle) and not domain.calls_model

    def _arena(self, setting: LevelSetting, name: str, seed: int) -> LevelMember:
        tester = ARENAS[name]
        if name == ARENA and not setting.model.startswith(_OFFLINE):
            tester = setting.model
        words = (
            *("--task", setting.task, "--models", setting.model, "--seed", str(seed)),
            *("--solvers", "1", "--testers", "1", "--tester-models", tester),
            *("--name", f"{setting.experiment}_{name.replace(' ', '_')}"),
            *("--budget", f"{self._args.budget}calls", *_passed_on(self._args, "arena")),
        )
        args = _parsed("arena", words)
        (options,) = arenas_of(args)
        kind = self._kind(setting, name)
        shown = Shown(f"{kind} seed{seed}", options, tuple(args.argv[1:]))
        return LevelMember(kind, options, shown)

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
        options = (
            *("--domain", setting.task, "--experiment", setting.experiment),
            *("--model", setting.model, "--seed", str(seed), "--no-controls", *terms),
            *(() if reviewer is None else ("--reviewer", reviewer)),
            *("--budget", f"{self._args.budget}calls", *_passed_on(self._args, "solo")),
        )
        args = _parsed("solo", options)
        (planned,) = plan(args)
        kind = self._kind(setting, name)
        shown = Shown(f"{kind} seed{seed}", planned.options, tuple(args.argv[1:]))
        return LevelMember(kind, planned.options, shown)

    def _kind(self, setting: LevelSetting, name: str) -> str:
        several = len(self._args.models) > 1
        return " ".join((setting.task, *([setting.model] if several else []), name))


def _passed_on(args: argparse.Namespace, command: Command) -> Iterator[str]:
    """Yield the options that hold for every run of a command, as they were given."""
    for record in (SoloOptions, Launching):
        given = vars(args)
        for declaration in declared(record):
            option = declaration.option
            if not {"levels", command} <= {*option.commands} or option.name in _OWN:
                continue
            value: Any = given.get(option.name, declaration.unsaid)
            if value != declaration.unsaid:
                yield from (option.flag, str(value))


def _parsed(command: Command, options: Sequence[str]) -> argparse.Namespace:
    parser, commands = build((command,))
    commands[command].parser.takes_last = True  # the level's own words stand behind what is given
    options = (*default_words(command, options), *options)
    args = parser.parse_args((command, *options))
    args.argv = ("hyperspace", command, *options)
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
