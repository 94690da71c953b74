"""The benchmark of the mark space tells what it has measured, however slow what it measures is."""

import time
from collections.abc import Iterator

import pytest

from benchmarks.markspace.__main__ import shown
from benchmarks.markspace.timing import ROUNDS, ROW_S, Figure, affordable


def slow(count: int) -> None:
    time.sleep(0.1 * count)


@pytest.mark.long
def test_a_slow_operation_is_done_so_seldom_that_its_row_ends() -> None:
    assert 1 <= affordable(5000, slow) <= ROW_S / ROUNDS / 0.1


@pytest.mark.long
def test_a_fast_operation_is_done_as_often_as_asked() -> None:
    assert affordable(5000, range) == 5000


def test_a_row_is_printed_before_the_next_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    def measured() -> Iterator[Figure]:
        yield Figure("first", 1.0, "1/s", 1.0)
        assert "first" in capsys.readouterr().out
        yield Figure("second", 2.0, "1/s", 0.5)

    assert [row.name for row in shown("memory", measured(), 1.0)] == ["first", "second"]
