"""Lanes: children of one archive begin when there is room, and close in the order of numbers."""

import random

import anyio
import pytest

from hyperspace.kernel.run.lanes import AHEAD, Lane, Lanes

pytestmark = pytest.mark.anyio


class Play:
    """Children that take their own time in lanes, with a note of what happened."""

    def __init__(self, lanes: int, took: list[int]) -> None:
        self._lanes = Lanes(lanes, 0)
        self._took = took
        self.at_work = self.most_at_work = self.most_open = 0
        self.closed: list[int] = []
        self.seen: list[int] = []

    async def to_the_end(self) -> None:
        async with anyio.create_task_group() as tasks:
            for generation in range(len(self._took)):
                lane = await self._lanes.begin(generation)
                self.seen.append(len(self.closed))
                self.most_open = max(self.most_open, generation + 1 - len(self.closed))
                tasks.start_soon(self._child, generation, lane)

    async def _child(self, generation: int, lane: Lane) -> None:
        self.at_work += 1
        self.most_at_work = max(self.most_at_work, self.at_work)
        for _ in range(self._took[generation]):
            await anyio.lowlevel.checkpoint()
        self.at_work -= 1
        await lane.before_closing()
        self.closed.append(generation)
        lane.close()


@pytest.mark.parametrize("seed", range(20))
async def test_they_close_in_order_whoever_is_first_and_no_more_are_at_work_than_lanes(
    seed: int,
) -> None:
    rng = random.Random(seed)
    lanes = rng.randint(1, 6)
    play = Play(lanes, [rng.choice((0, 1, 5, 90)) for _ in range(40)])
    await play.to_the_end()
    assert play.closed == list(range(40))
    assert play.most_at_work <= lanes
    assert play.most_open <= AHEAD * lanes
    assert play.seen[:2] == [0, 1]  # all build on what generation 0 came to


async def test_a_slow_child_does_not_hold_up_the_others_until_the_bound() -> None:
    play = Play(2, [0, 10_000, *[0] * 30])
    with anyio.move_on_after(30):
        await play.to_the_end()
    assert play.closed == list(range(32))
    assert play.most_open == AHEAD * 2


async def test_one_lane_is_one_after_the_other() -> None:
    play = Play(1, [3] * 9)
    await play.to_the_end()
    assert play.closed == list(range(9))
    assert play.most_at_work == 1
