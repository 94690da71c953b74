"""Every test that asks for `store` runs on each store that this machine has."""

from collections.abc import Callable, Generator
from pathlib import Path
from uuid import uuid4

import pytest

from markspace.stores.base import Store
from markspace.stores.memory import MemoryStore
from markspace.stores.sqlite import SQLiteStore
from tests.markspace.places import FilePlace, MakePlace, Place, ServerPlace
from tests.support.servers.postgres_server import PostgresServer, server_or_skip

MakeStore = Callable[[], Store]
KINDS = ["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]


@pytest.fixture(scope="session")
def postgres() -> Generator[PostgresServer]:
    """A server for all tests of this session."""
    with server_or_skip() as server:
        yield server


@pytest.fixture(params=KINDS)
def make_store(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[MakeStore]:
    """A maker of fresh stores, all closed at the end."""
    made: list[Store] = []

    def make() -> Store:
        new = make_one(request, tmp_path / f"space{len(made)}.db")
        made.append(new)
        return new

    yield make
    for store in made:
        store.close()


def make_one(request: pytest.FixtureRequest, path: Path) -> Store:
    """Make a store of the kind that the test is run with."""
    if request.param == "memory":
        return MemoryStore()
    if request.param == "sqlite":
        return SQLiteStore(path)
    from markspace.stores.postgres import PostgresStore

    server: PostgresServer = request.getfixturevalue("postgres")
    return PostgresStore(server.dsn, f"t{uuid4().hex}")


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    """One fresh store."""
    return make_store()


@pytest.fixture(params=KINDS)
def make_place(request: pytest.FixtureRequest) -> MakePlace:
    """A maker of fresh places for state machines, one for each example."""
    if request.param == "memory":
        return Place
    if request.param == "sqlite":
        return FilePlace
    server: PostgresServer = request.getfixturevalue("postgres")
    return lambda: ServerPlace(server.dsn)
