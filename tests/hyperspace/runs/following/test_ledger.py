"""A ledger that is followed while another process writes it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperspace.runs.following.ledger import LedgerTail
from hyperspace.spending.ledger import Ledger
from hyperspace.spending.ledger_file import LedgerDamaged, read_lines
from hyperspace.spending.ledger_lines import LedgerHead, Line, Worked


def written(path: Path, lines: int) -> bytes:
    with Ledger(path) as ledger:
        for _ in range(lines):
            ledger.note_time()
    return path.read_bytes()


def look(tail: LedgerTail) -> list[Line]:
    return [line for lines in tail.look() for line in lines]


def test_a_ledger_that_is_not_there_yet_has_no_lines(tmp_path: Path) -> None:
    tail = LedgerTail(tmp_path / "ledger.jsonl")
    assert look(tail) == [] and tail.read_share == 1
    written(tmp_path / "ledger.jsonl", 1)
    assert [type(line) for line in look(tail)] == [LedgerHead, Worked, Worked]
    assert look(tail) == [] and tail.read_share == 1


@pytest.mark.long
@given(cuts=st.lists(st.integers(0, 700), max_size=6))
def test_however_it_grows_every_line_is_read_once(
    tmp_path_factory: pytest.TempPathFactory, cuts: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("tail")
    content, growing = written(folder / "whole", 5), folder / "growing"
    tail, lines = LedgerTail(growing), list[Line]()
    for cut in (*sorted(cuts), len(content)):
        growing.write_bytes(content[:cut])
        lines += look(tail)
    assert lines == list(read_lines(folder / "whole"))


def test_a_look_that_stops_early_goes_on_from_there(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    lines = written(path, 1).splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1] * 20_000)
    tail = LedgerTail(path)
    first = next(tail.look())
    assert tail.is_behind and 0 < tail.read_share < 1
    rest = look(tail)
    assert not tail.is_behind and tail.read_share == 1
    assert len(first) + len(rest) == 20_001


@pytest.mark.parametrize(
    ("spoil", "says"), [(b"nonsense\n", "line 3 is no line"), (b"", "has lost lines")]
)
def test_what_no_ledger_can_hold_is_said(tmp_path: Path, spoil: bytes, says: str) -> None:
    path = tmp_path / "ledger.jsonl"
    content = written(path, 0)
    tail = LedgerTail(path)
    look(tail)
    path.write_bytes(content + spoil if spoil else b"")
    with pytest.raises(LedgerDamaged, match=says):
        look(tail)
