"""Several workers at a time: the result is one worker's, whoever is faster."""

import random
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import anyio
import anyio.lowlevel
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.sandboxes.sandbox import SandboxEnded
from hyperspace.kernel.evaluation.evaluate import evaluate, evaluate_split, pass_names
from hyperspace.kernel.evaluation.evaluator import CandidateFailed, Evaluator
from hyperspace.kernel.state.manifest import SplitResult
from hyperspace.kernel.state.rng import stream
from hyperspace.models.base import ReplayMismatch
from hyperspace.tasks.base import Item
from tests.support.tasks.asking import ITEMS, asking

DOMAIN = asking(None, {})
Settled = tuple[str, Sequence[str], Sequence[str]]  # split, counted and dropped items
LABELS = {split: DOMAIN.labels(split) for split in ("train", "val")}
IDS = [item.id for item in DOMAIN.items("val")]


class Ended(NamedTuple):
    """How a pass ended, and what counts of it."""

    result: Mapping[str, SplitResult] | str
    settled: list[Settled]


class Play:
    """Workers that answer at random speed and end at chosen items, by crash or by the clock.

    What they are asked of items that a replay has no record of is a mismatch.
    """

    def __init__(
        self,
        crashing: set[str],
        slow: set[str],
        speed: random.Random,
        unrecorded: Collection[str] = (),
    ) -> None:
        self.busy = 0
        self.most_busy = 0
        self.asked: list[str] = []
        self.settled: list[Settled] = []
        self._crashing = crashing
        self._slow = slow
        self._speed = speed
        self._unrecorded = unrecorded

    def evaluator(self, workers: int, repeats: int = 1) -> Evaluator:
        first, *further = (self._evaluator(workers, name) for name in pass_names(repeats))
        return msgspec.structs.replace(first, repeats=further)

    def _evaluator(self, workers: int, in_pass: str) -> Evaluator:
        return Evaluator(
            DOMAIN,
            self._open,
            lambda name: stream(7, in_pass, name),
            lambda _split, _done, _total: None,
            workers=workers,
            on_settled=self.settle,
        )

    def settle(self, split: str, counted: Sequence[str], dropped: Sequence[str]) -> None:
        self.settled.append((split, counted, dropped))

    @asynccontextmanager
    async def _open(self, _cpu_s: int | None) -> AsyncGenerator["Worker"]:
        self.busy += 1
        self.most_busy = max(self.busy, self.most_busy)
        try:
            await anyio.lowlevel.checkpoint()
            yield Worker(self)
        finally:
            self.busy -= 1

    async def answer(self, split: str, item: Item, before: Sequence[str]) -> Mapping[str, Any]:
        self.asked.append(item.id)
        for _ in range(self._speed.randrange(6)):
            await anyio.lowlevel.checkpoint()
        if item.id in self._slow:
            self._slow.remove(item.id)
            raise SandboxEnded("wall_clock", "300 s")
        if split == "val" and item.id in self._unrecorded:
            raise ReplayMismatch(item.id)
        if split == "val" and item.id in self._crashing:
            raise SandboxEnded("exited", f"at {item.id}")
        if len(before) % 3:
            return {"prediction": LABELS[split][item.id]}
        return {"prediction": " ".join(before)}


class Worker:
    """One worker; what it says depends on what it was asked before."""

    def __init__(self, play: Play) -> None:
        self._play = play
        self._before: list[str] = []

    async def predict(self, purpose: str, item: Item, token: str) -> Mapping[str, Any]:
        self._before.append(token)
        return await self._play.answer(purpose, item, self._before)


def ended(play: Play, workers: int, repeats: int = 1) -> Ended:
    async def run() -> Mapping[str, SplitResult] | str:
        try:
            return await evaluate(play.evaluator(workers, repeats))
        except (CandidateFailed, ReplayMismatch) as failure:
            return str(failure)

    result = anyio.run(run)
    assert play.busy == 0
    return Ended(result, play.settled)


@pytest.mark.long
@given(
    crashing=st.sets(st.sampled_from(IDS), max_size=8),
    slow=st.sets(st.sampled_from(IDS), max_size=3),
    workers=st.integers(2, 7),
    speed=st.integers(0, 1000),
    repeats=st.integers(1, 3),
    unrecorded=st.sets(st.sampled_from(IDS), max_size=3),
)
def test_the_number_of_workers_decides_nothing(
    crashing: set[str],
    slow: set[str],
    workers: int,
    speed: int,
    repeats: int,
    unrecorded: set[str],
) -> None:
    first = Play(crashing, set(slow), random.Random(0), unrecorded)
    alone = ended(first, 1, repeats)
    together = Play(crashing, set(slow), random.Random(speed), unrecorded)
    assert ended(together, workers, repeats) == alone
    never_asked = unrecorded - set(first.asked[ITEMS:])
    assert isinstance(alone.result, str) == (len(crashing) >= 3 or unrecorded != never_asked)


def test_workers_are_busy_at_the_same_time_and_never_more_than_asked_for() -> None:
    plays = {workers: Play(set(), set(), random.Random(1)) for workers in (1, 3, 50)}
    for workers, play in plays.items():
        ended(play, workers)
    assert [play.most_busy for play in plays.values()] == [1, 3, 3]


def test_a_candidate_that_always_crashes_is_soon_given_up_by_all_workers() -> None:
    play = Play(set(IDS), set(), random.Random(1))
    assert isinstance(ended(play, 4).result, str)
    in_val = play.asked[ITEMS:]
    assert len(in_val) <= 3 * 4


def test_an_outage_ends_every_worker_and_comes_out_as_it_is() -> None:
    class Outage(Exception):
        pass

    class Down(Play):
        async def answer(self, split: str, item: Item, before: Sequence[str]) -> Mapping[str, Any]:
            await super().answer(split, item, before)
            raise Outage

    play = Down(set(), set(), random.Random(1))
    with pytest.raises(Outage):
        anyio.run(evaluate_split, play.evaluator(3), "train")
    assert play.busy == 0
    assert play.settled == []
