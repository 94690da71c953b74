"""Builds `go2_walking`, `go2_walkback` and `go2_hop`: a training of its own tries each reward."""

from typing import Any, NamedTuple, Self

import msgspec

from hyperspace.tasks.base import Item, Split
from hyperspace.tasks.go2.expression import LONGEST, BadExpression, parse
from hyperspace.tasks.go2.game import Motion
from hyperspace.tasks.go2.observations import NAMES
from hyperspace.tasks.go2.training import Scale
from hyperspace.tasks.graded import GradedDomain
from hyperspace.tasks.native.episodes import NativeGames
from hyperspace.tasks.native.extras import require
from hyperspace.tasks.options import Make, RowsSeed, generated
from hyperspace.tasks.package_files import seed_files, task_files
from hyperspace.tasks.shapes.interactive import EpisodeFailed
from hyperspace.tasks.shapes.limited import AnswerLimits
from hyperspace.tasks.shapes.outcome import Outcome

_ITEMS: dict[Split, int] = {"train": 2, "val": 6, "test": 5}  # agents see train; val decides
_MOST_KEPT = 500  # outcomes
_RULES = 2  # of trainings and trials: another number where equal answers would score otherwise


class SimulatorChoice(NamedTuple):
    """Where robots are trained.

    Attributes:
        factory: What makes an environment in the child.
        folder: Whose `README.md` agents are shown.
        modules: Packages of the extra that must be there.
        extra: Its name in pyproject.toml.
        answer_s: Wall-clock seconds that a training may take.
        child_stays: See `NativeGames`.
    """

    factory: str
    folder: str
    modules: tuple[str, ...]
    extra: str
    answer_s: float
    child_stays: bool = False


# A full training has 10 CPU seconds.
MUJOCO = SimulatorChoice("hyperspace.tasks.go2.simulation:make", "go2", ("mujoco",), "go2", 300.0)
# Three minutes to start, until what it compiles is kept, and a minute a training: on an idle core.
GENESIS = SimulatorChoice(
    "hyperspace.tasks.go2.genesis.simulation:make",
    "go2/genesis",
    ("genesis", "torch"),
    "genesis",
    3600.0,
    child_stays=True,
)


class Go2Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The options of a task.

    Attributes:
        rows_seed: Seed of trainings and trials.
        scale: How much each training may try.
    """

    rows_seed: RowsSeed = 1
    scale: Scale = "small"


class Go2(GradedDomain):
    """Rewards for a four-legged robot; an answer is an expression.

    All items of a task have equal inputs; trainings and trials are told by the items' ids, on the
    host alone.
    """

    def __init__(
        self, task: str, motion: Motion, options: Go2Options, simulator: SimulatorChoice = MUJOCO
    ) -> None:
        """Make the items.

        Args:
            task: Name of the domain.
            motion: What the robot shall do.
            options: See `Go2Options`.
            simulator: See `SimulatorChoice`.
        """
        self._motion: Motion = motion
        self._options = options
        self._games = NativeGames(
            simulator.factory, simulator.answer_s, child_stays=simulator.child_stays
        )
        self._kept: dict[tuple[str, str], Outcome] = {}
        self._inputs: dict[str, Any] = {"task": task, "names": NAMES}
        super().__init__(
            task,
            {split: self._draw(split, split) for split in _ITEMS},
            smoke_inputs=self._inputs,
            metric="mean fitness",
            sealed={**msgspec.to_builtins(options), "rules": _RULES},
            staged_items=1,
            seed_files=seed_files("go2"),
            task_files=task_files(simulator.folder),
            answer_limits=AnswerLimits(characters=LONGEST),
        )

    def verify(self, item: Item, artefact: str) -> Outcome:
        """Train by a reward; equal answers to an item are trained once. See `Verified`."""
        expression = artefact.strip()
        try:
            parse(expression, NAMES)
        except BadExpression as error:
            return Outcome(0.0, f"no reward: {error}")
        key = (item.id, expression)
        if key not in self._kept:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            try:
                self._kept[key] = self._train(item, expression)
            except EpisodeFailed as failure:
                return Outcome(0.0, str(failure))
        return self._kept[key]

    def renewed(self, epoch: int) -> Self:
        """The same task with other trainings and trials in validation; see `Renewable`."""
        return self.with_items({"val": self._draw("val", f"val-{epoch}" if epoch else "val")})

    def _draw(self, split: Split, prefix: str) -> list[Item]:
        return [Item(f"{prefix}-{number:04}", self._inputs) for number in range(_ITEMS[split])]

    def _train(self, item: Item, expression: str) -> Outcome:
        seed = f"{self.name}/{self._options.rows_seed}/{item.id}"
        episode = self._games.open(
            {
                "task": self.name,
                "motion": self._motion,
                "scale": self._options.scale,
                "training": f"{seed}/training",
                "trials": f"{seed}/trials",
                "split": item.id.partition("-")[0],
            }
        )
        try:
            episode.act(expression)
            return episode.outcome()
        finally:
            episode.close()


def _maker(task: str, motion: Motion, simulator: SimulatorChoice) -> Make[Go2]:
    """Return what makes a task, and raises `DomainDataError` where its simulator is missing."""

    @generated(task, Go2Options)
    def make(options: Go2Options) -> Go2:
        require(task, simulator.modules, simulator.extra)
        return Go2(task, motion, options, simulator)

    return make


walking = _maker("go2_walking", "forward", MUJOCO)
walkback = _maker("go2_walkback", "back", MUJOCO)
hop = _maker("go2_hop", "hop", MUJOCO)
genesis_walking = _maker("genesis_go2walking", "forward", GENESIS)
genesis_walkback = _maker("genesis_go2walkback", "back", GENESIS)
genesis_hop = _maker("genesis_go2hop", "hop", GENESIS)
