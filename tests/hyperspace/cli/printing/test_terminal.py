"""Nothing that is printed can steer a terminal, and JSON stays the same JSON."""

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table

from hyperspace.cli.printing.terminal import console, escaped
from tests.support.command import hyperspace

TEXTS = st.text() | st.sampled_from(["\x1b]0;x\x07", "\x9b2J", "\u202e", "a\tb", "\U000e0001"])


@given(TEXTS)
def test_nothing_but_printable_characters_and_line_feeds_comes_out(text: str) -> None:
    assert all(line.isprintable() for line in escaped(text).split("\n"))


@given(st.text(st.characters(categories=["L", "N", "P"])))
def test_printable_text_stays_as_it_is(text: str) -> None:
    assert escaped(text) == text


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), TEXTS))
def test_json_stays_the_same_json(record: dict[str, str]) -> None:
    assert json.loads(escaped(json.dumps(record, ensure_ascii=False))) == record


def test_a_table_escapes_its_cells_and_reads_no_markup() -> None:
    stream, table = io.StringIO(), Table("[link=x]title", "\x1b[2J")
    table.add_row("[/]\x1b]0;owned\x07", "\u202e")
    console(stream).print(table)
    console(stream).print("\x9b2J", markup=False)
    assert all(line.isprintable() for line in stream.getvalue().split("\n"))
    assert "[link=x]title" in stream.getvalue()


@pytest.mark.long
def test_the_command_guards_both_streams(tmp_path: Path) -> None:
    path = tmp_path / "\x1b[2J"
    done = hyperspace("digest", path)
    assert done.returncode == 2
    assert "\\u001b[2J does not exist" in done.stderr
    done = hyperspace("space", "stats", path)
    assert "\x1b" not in done.stdout + done.stderr
