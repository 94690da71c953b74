"""Spaces to look into, and the command that looks."""

from collections.abc import Generator
from pathlib import Path
from uuid import uuid4

import pytest

from hyperspace.cli.main import main
from markspace.stores.sqlite import SQLiteStore
from tests.support.servers.postgres_server import PostgresServer, server_or_skip
from tests.support.some_space import Command, Made, Printed, fill


@pytest.fixture
def space(capsys: pytest.CaptureFixture[str]) -> Command:
    """`hyperspace space ...` in this process."""

    def run(*arguments: str | Path) -> Printed:
        try:
            code = main(["space", *map(str, arguments)])
        except SystemExit as error:
            code = int(error.code or 0)
        printed = capsys.readouterr()
        return Printed(code, str(printed.out), str(printed.err))

    return run


@pytest.fixture(scope="module")
def postgres() -> Generator[PostgresServer]:
    with server_or_skip() as server:
        yield server


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Made]:
    """A space with some marks: what to call it on the command line, and its open store."""
    if request.param == "sqlite":
        where, store = str(tmp_path / "space.db"), SQLiteStore(tmp_path / "space.db")
    else:
        from markspace.stores.postgres import PostgresStore

        server: PostgresServer = request.getfixturevalue("postgres")
        name = f"t{uuid4().hex}"
        where, store = f"{server.dsn}&space={name}", PostgresStore(server.dsn, name)
    fill(store)
    yield where, store
    store.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A SQLite space with some marks."""
    path = tmp_path / "space.db"
    store = SQLiteStore(path)
    fill(store)
    store.close()
    return path
