"""A PostgreSQL server for ledgers that several processes share."""

from collections.abc import Generator

import pytest

from tests.support.servers.postgres_server import PostgresServer, server_or_skip


@pytest.fixture(scope="session")
def postgres() -> Generator[PostgresServer]:
    """A server for all tests of this session."""
    with server_or_skip() as server:
        yield server
