"""Builds `go2_walking`, `go2_walkback` and `go2_hop`: a training of its own tries each reward."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import msgspec

from domains.base import Item, Split
from domains.go2.expression import LONGEST, BadExpression, parse
from domains.go2.game import Motion
from domains.go2.observations import NAMES
from domains.go2.training import Scale
from domains.graded import GradedDomain
from domains.native.episodes import NativeGames
from domains.native.extras import require
from domains.options import RowsSeed, read_options, refuse_data
from domains.package_files import seed_files, task_files
from domains.shapes.interactive import EpisodeFailed
from domains.shapes.limited import AnswerLimits
from domains.shapes.outcome import Outcome

FACTORY = "domains.go2.simulation:make"
_ITEMS: dict[Split, int] = {"train": 3, "val": 3, "test": 5}
_ANSWER_S = 300.0  # a full training has 10 CPU seconds
_MOST_KEPT = 500  # outcomes


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
        self, task: str, motion: Motion, options: Go2Options, factory: str = FACTORY
    ) -> None:
        """Make the items.

        Args:
            task: Name of the domain.
            motion: What the robot shall do.
            options: See `Go2Options`.
            factory: What makes an environment in the child.
        """
        self._motion: Motion = motion
        self._options = options
        self._games = NativeGames(factory, _ANSWER_S)
        self._kept: dict[tuple[str, str], Outcome] = {}
        self._inputs: dict[str, Any] = {"task": task, "names": NAMES}
        super().__init__(
            task,
            {split: self._draw(split, split) for split in _ITEMS},
            smoke_inputs=self._inputs,
            metric="mean fitness",
            sealed=msgspec.to_builtins(options),
            staged_items=1,
            seed_files=seed_files("go2"),
            task_files=task_files("go2"),
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
                "shifted": item.id.startswith("test"),
            }
        )
        try:
            episode.act(expression)
            return episode.outcome()
        finally:
            episode.close()


def _make(task: str, motion: Motion, data: Path | None, options: Mapping[str, str]) -> Go2:
    refuse_data(task, data)
    chosen = read_options(task, options, Go2Options)
    require(task, ["mujoco"], "go2")
    return Go2(task, motion, chosen)


def walking(data: Path | None, options: Mapping[str, str]) -> Go2:
    """Make `go2_walking`: walk forward as fast as told.

    Raises:
        DomainDataError: An option is unknown, there is a folder, or MuJoCo is missing.
    """
    return _make("go2_walking", "forward", data, options)


def walkback(data: Path | None, options: Mapping[str, str]) -> Go2:
    """Make `go2_walkback`: walk backward as fast as told; errors as in `walking`."""
    return _make("go2_walkback", "back", data, options)


def hop(data: Path | None, options: Mapping[str, str]) -> Go2:
    """Make `go2_hop`: jump as high as possible; errors as in `walking`."""
    return _make("go2_hop", "hop", data, options)
