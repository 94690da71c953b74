"""A byte of any row that was changed behind a store's back is found, in each database alike."""

import sqlite3
import struct
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from markspace import Agent, Guard, MarkSpace, MarkType, Need, Observation, Scope, Warning
from markspace.errors import StoreError
from markspace.stores.base import Store
from markspace.stores.sqlite import SQLiteStore

ANN = Agent(name="ann", scopes={"a": [kind.value for kind in MarkType]})
# The first column is the key. Leases are no part of the history: they change all the time.
TABLES: Final = {
    "meta": ("name", "value"),
    "marks": (
        *("sequence", "id", "scope", "type", "key"),
        *("agent", "target", "state", "ended", "body"),
    ),
    "blobs": ("digest", "data"),
    "audit": ("number", "sequence", "clock", "body", "digest"),
    "scopes": ("name", "body"),
}
COLUMNS: Final = [(table, column) for table, columns in TABLES.items() for column in columns]


class Tampered(NamedTuple):
    """A space, and a connection of somebody who changes it behind its store's back."""

    open: Callable[[], Store]
    connection: Any
    placeholder: str
    error: type[Exception]


def fill(store: Store) -> None:
    """Write what a space can hold: blobs of marks and of files, answers, claims, archived marks."""
    space = MarkSpace([Scope(name="a")], clock=1.0, store=store)
    first = space.write(ANN, Observation(scope="a", topic="t", content="x" * 5000))
    large = {"k": ["y" * 6000, b"z" * 5000]}
    space.write(ANN, Observation(scope="a", content=large, supersedes=first))
    doubted = space.write(ANN, Observation(scope="a"))
    space.set_clock(2.0)
    space.write(ANN, Warning(scope="a", invalidates=doubted, reason="r"))
    space.write(ANN, Need(scope="a", question="q"))
    Guard(space).execute(ANN, "a", "r", "plan", "do", lambda: 1)
    kept = b"a file that a run keeps"
    store.write(lambda tx: tx.put_blob(sha256(kept).digest(), kept))
    space.set_clock(5.0)
    space.gc()
    store.close()


@contextmanager
def on_sqlite(path: Path) -> Generator[Tampered]:
    fill(SQLiteStore(path))
    with closing(sqlite3.connect(path)) as connection:
        yield Tampered(lambda: SQLiteStore(path, read_only=True), connection, "?", sqlite3.Error)


@contextmanager
def on_postgres(dsn: str) -> Generator[Tampered]:
    import psycopg

    from markspace.stores.postgres import PostgresStore

    name = f"t{uuid4().hex}"
    fill(PostgresStore(dsn, name))
    with psycopg.connect(dsn, options=f"-c search_path=space_{name}") as connection:
        opened = lambda: PostgresStore(dsn, name, read_only=True)  # noqa: E731
        yield Tampered(opened, connection, "%s", psycopg.Error)


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
)
def tampered(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Generator[Tampered]:
    """A filled space of each kind."""
    if request.param == "sqlite":
        made = on_sqlite(tmp_path_factory.mktemp("tampered") / "space.db")
    else:
        made = on_postgres(request.getfixturevalue("postgres").dsn)
    with made as space:
        yield space


def is_found(space: Tampered) -> bool:
    """Return whether opening or verifying tells that something was changed."""
    try:
        with closing(space.open()) as store:
            return not MarkSpace(store=store).verify().ok
    except StoreError:
        return True


def changed(value: Any, place: int, bit: int) -> Any:
    """Return a value of the same type, other in one place."""
    if isinstance(value, bytes):
        place %= len(value)
        return value[:place] + bytes([value[place] ^ (1 << bit)]) + value[place + 1 :]
    if isinstance(value, str):
        place %= len(value) + 1
        return f"{value[:place]}~{value[place + 1 :]}"
    form = struct.Struct("d" if isinstance(value, float) else "q")
    return form.unpack(changed(form.pack(value), place, bit))[0]


@pytest.mark.parametrize(("table", "column"), COLUMNS)
@settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(row=st.integers(0, 30), place=st.integers(0, 9000), bit=st.integers(0, 7))
def test_a_byte_that_was_changed_is_found(
    tampered: Tampered, table: str, column: str, row: int, place: int, bit: int
) -> None:
    key, mark = TABLES[table][0], tampered.placeholder
    run = tampered.connection.execute
    rows = run(f"SELECT {key}, {column} FROM {table} ORDER BY {key}").fetchall()  # noqa: S608
    name, value = rows[row % len(rows)]
    other = changed(value, place, bit)
    assume(not (column == "clock" and is_undecided(tampered, name)))
    update = f"UPDATE {table} SET {column} = {mark} WHERE {key} = {mark}"  # noqa: S608
    try:
        run(update, (other, name))
    except tampered.error:  # the database itself refuses it
        tampered.connection.rollback()
        return
    tampered.connection.commit()
    try:
        assert is_found(tampered)
    finally:
        run(update, (value, other if column == key else name))
        tampered.connection.commit()
    assert not is_found(tampered)


def is_undecided(space: Tampered, number: int) -> bool:
    """Return whether an entry has no mark that says its time, so that only its order is known."""
    with closing(space.open()) as store:
        entry = next(MarkSpace(store=store).audit(after=number - 1))
    return entry.kind == "decision"
