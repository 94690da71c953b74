"""A PostgreSQL server for the runs of these tests."""

from collections.abc import Generator

import pytest

from tests.support.servers.postgres_server import PostgresServer, why_not


@pytest.fixture(scope="session")
def postgres() -> Generator[PostgresServer]:
    """A server for all tests of this session."""
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    server = PostgresServer()
    yield server
    server.remove()
