"""What so many pairs could have shown."""

from random import Random

import pytest

from replication.report.statistics.paired import signed_rank
from replication.report.statistics.power import detectable


def test_five_pairs_can_detect_nothing_however_large() -> None:
    assert detectable(5, 0.05) is None


@pytest.mark.long
def test_more_pairs_detect_less_and_a_stricter_level_needs_more() -> None:
    found = [detectable(pairs, 0.05) for pairs in (6, 8, 12, 20, 31, 60)]
    known = [size for size in found if size is not None]
    assert len(known) == len(found)
    assert known == sorted(known, reverse=True)
    assert (detectable(12, 0.01) or 0) > (detectable(12, 0.05) or 0)


@pytest.mark.parametrize("pairs", [6, 10, 32])
def test_the_detectable_difference_is_found_about_4_times_in_5(pairs: int) -> None:
    size, draw, rounds = detectable(pairs, 0.05), Random(pairs), 300
    assert size is not None
    found = sum(
        signed_rank([draw.gauss(size) for _ in range(pairs)]).p <= 0.05 for _ in range(rounds)
    )
    assert found / rounds == pytest.approx(0.8, abs=0.08)
