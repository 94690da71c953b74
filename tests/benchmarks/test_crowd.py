"""The benchmark of large fleets tells apart what each part of a run has used."""

import time

import pytest

from benchmarks.crowd.fleet import PARTS, play_fleet


@pytest.mark.long
def test_what_a_fleet_uses_is_told_by_its_parts() -> None:
    cost = play_fleet(3, 1, 1, "alternating", time.process_time)
    assert tuple(cost.parts) == PARTS
    assert all(used.wall_s > 0 for used in cost.parts.values())
    hashes, codes, bests, closings = 1, 4, 3, 4 + 3
    assert cost.marks == hashes + codes + bests + closings
    assert cost.space_bytes > cost.marks


def test_a_fleet_that_fails_says_why() -> None:
    with pytest.raises(RuntimeError, match="schedule"):
        play_fleet(2, 1, 1, "never", time.process_time)
