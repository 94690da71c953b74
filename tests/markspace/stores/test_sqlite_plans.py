"""Every read of a SQLite file goes by an index: what it costs does not grow with the file."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from markspace import Agent, MarkSpace, Observation, QuotaExceededError, Scope
from markspace.stores import sql
from markspace.stores.sqlite import SQLiteStore

ANN = Agent(name="ann", scopes={"a": ["observation"]})
WHERE = {"by": "t:t", "scope": "a", "low": "a/", "high": "a0", "upto": 1}


def plan(path: Path, statement: str, values: object) -> str:
    """Return how SQLite would find what a statement selects."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(f"EXPLAIN QUERY PLAN {statement}", values)  # type: ignore[arg-type]
        return "\n".join(row[3] for row in rows)


def make(path: Path, quota: int | None = None) -> MarkSpace:
    """Return a space in a new file, with one mark."""
    scopes = [Scope(name="a")]
    space = MarkSpace(scopes, store=SQLiteStore(path), max_marks_per_agent=quota)
    space.write(ANN, Observation(scope="a", topic="t"))
    return space


@pytest.mark.parametrize("form", sql.SELECT)
def test_marks_are_selected_by_an_index(tmp_path: Path, form: tuple[str, bool, bool]) -> None:
    make(tmp_path / "s.db").store.close()
    steps = plan(tmp_path / "s.db", sql.SELECT[form], WHERE)
    assert f"USING INDEX marks_{form[0]}" in steps
    assert "SCAN marks" not in steps


def test_marks_are_got_and_warnings_found_by_an_index(tmp_path: Path) -> None:
    make(tmp_path / "s.db").store.close()
    assert "USING INDEX marks_id" in plan(tmp_path / "s.db", sql.GET, (b"",))
    against = sql.warnings(2, alive=True)
    assert "USING INDEX marks_target" in plan(tmp_path / "s.db", against, (1, 2))


def test_only_a_space_with_a_quota_has_an_index_by_agent_and_counts_by_it(tmp_path: Path) -> None:
    free, bound = tmp_path / "free.db", tmp_path / "bound.db"
    make(free).store.close()
    space = make(bound, quota=2)
    assert "SCAN marks" in plan(free, sql.LIVE_COUNT, (b"",))
    assert "INDEX marks_agent" in plan(bound, sql.LIVE_COUNT, (b"",))
    space.write(ANN, Observation(scope="a", topic="t"))
    with pytest.raises(QuotaExceededError):
        space.write(ANN, Observation(scope="a", topic="t"))
    space.store.close()


def test_a_file_without_that_index_gets_it_with_its_first_quota(tmp_path: Path) -> None:
    make(tmp_path / "s.db").store.close()
    space = MarkSpace(store=SQLiteStore(tmp_path / "s.db"), max_marks_per_agent=1)
    with pytest.raises(QuotaExceededError):
        space.write(ANN, Observation(scope="a", topic="t"))
    bound = MarkSpace(store=space.store, max_marks_per_agent=3)
    bound.write(ANN, Observation(scope="a", topic="t"))
    assert "INDEX marks_agent" in plan(tmp_path / "s.db", sql.LIVE_COUNT, (b"",))
    space.store.close()
    SQLiteStore(tmp_path / "s.db").close()


def test_a_file_that_always_had_that_index_opens(tmp_path: Path) -> None:
    make(tmp_path / "s.db").store.close()
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection:
        connection.execute(sql.AGENT_INDEX)
    store = SQLiteStore(tmp_path / "s.db")
    assert len(MarkSpace(store=store).read("a")) == 1
    store.close()
