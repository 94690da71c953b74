"""A ledger is added up as it grows: by generation, by model, over time."""

from pathlib import Path

import msgspec
import pytest

from hyperspace.kernel.state.folder import RunFolder
from hyperspace.runs.following.money import MOST_MOMENTS, RunMoney
from hyperspace.spending.budget import ADDED_AT_ONCE
from hyperspace.spending.ledger_lines import FORMAT, LedgerHead, SettledCall


def settled(number: int, generation: int = 1) -> SettledCall:
    return SettledCall(
        id=f"{number}",
        agent="tinker",
        generation=generation,
        purpose="modify",
        call_id="c",
        model="offline/tinker",
        prompt_tokens=10,
        completion_tokens=5,
        cached_tokens=0,
        cache_write_tokens=0,
        reasoning_tokens=0,
        cost_usd=0.5,
        ended_utc=f"2026-01-01T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}+00:00",
    )


def written(*lines: msgspec.Struct) -> bytes:
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    (tmp_path / "ledger.jsonl").write_bytes(written(LedgerHead(format=FORMAT)))
    return RunFolder(tmp_path)


def test_sums_grow_with_the_ledger(run: RunFolder) -> None:
    read = RunMoney(run)
    read.look()
    with run.ledger.open("ab") as file:
        file.write(written(settled(1), settled(2, generation=3)))
    read.look()
    assert list(read.costs["tinker"].values) == [0, 0.5, 0, 0.5]
    assert read.models["offline/tinker"].tokens == 30
    assert [moment.usd for moment in read.moments] == [0.5, 1.0]


def test_the_curve_over_time_stays_short(run: RunFolder) -> None:
    run.ledger.write_bytes(
        written(LedgerHead(format=FORMAT), *(settled(n) for n in range(3 * MOST_MOMENTS)))
    )
    read = RunMoney(run)
    read.look()
    assert MOST_MOMENTS / 4 < len(read.moments) <= MOST_MOMENTS
    assert read.state.spent.calls == 3 * MOST_MOMENTS


def test_a_damaged_ledger_is_told_and_what_was_read_stays(run: RunFolder) -> None:
    run.ledger.write_bytes(written(LedgerHead(format=FORMAT), settled(1)) + b"no line\n")
    read = RunMoney(run)
    read.look()
    assert "line 3" in read.problem


def test_a_long_ledger_is_added_up_look_by_look_to_the_same_sums(run: RunFolder) -> None:
    count = 3 * ADDED_AT_ONCE
    run.ledger.write_bytes(
        written(LedgerHead(format=FORMAT), *(settled(n, generation=n % 7) for n in range(count)))
    )
    whole, piecewise = RunMoney(run), RunMoney(run)
    whole.look()
    piecewise.look(1)
    assert 0 < piecewise.read_share < 1
    while piecewise.read_share < 1:
        piecewise.look(1)
    assert piecewise.state.spent == whole.state.spent
    assert piecewise.state.spent.calls == count and piecewise.state.spent.tokens == 15 * count
    assert piecewise.costs["tinker"].values == whole.costs["tinker"].values
    assert piecewise.moments == whole.moments
