"""A PostgreSQL server that lets nobody in, or is not there: each is said as what it is."""

import re
import time
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from markspace.errors import StoreUnavailable
from markspace.stores.postgres import PostgresStore
from tests.support.servers.faulty_server import free_port
from tests.support.servers.postgres_server import PostgresServer, server_or_skip

pytestmark = pytest.mark.postgres


@pytest.fixture
def server() -> Generator[PostgresServer]:
    with server_or_skip() as server:
        yield server


def refusal(dsn: str) -> str:
    """Return what is said of a server that cannot be used."""
    with pytest.raises(StoreUnavailable) as told:
        PostgresStore(dsn)
    return str(told.value)


def at(server: PostgresServer, user: str = "test", database: str = "postgres") -> str:
    """Return where a server is for a user."""
    return f"postgresql://{user}@/{database}?host={server.folder}"


def settled(dsn: str, words: str) -> str:
    """Return what is said once a server has taken over what it was told."""
    deadline = time.monotonic() + 60
    while words not in (told := refusal(dsn)):
        assert time.monotonic() < deadline, told
        time.sleep(0.05)
    return told


def test_a_server_that_is_not_there_lets_nobody_in_by_no_name(tmp_path: Path) -> None:
    nowhere = tmp_path / "password"
    for dsn in ("postgresql://ann@password.invalid/x", f"postgresql://ann@/x?host={nowhere}"):
        assert re.search(r"does not answer .*start it or check", told := refusal(dsn)), told


@pytest.mark.parametrize("name", ["plain", "password", "pg_hba.conf"])
def test_what_a_server_says_is_told_from_names(server: PostgresServer, name: str) -> None:
    assert "make it (createdb" in refusal(at(server, database=name))
    assert "make it (createdb" in refusal(at(server, user=name))
    server.admit("local all test scram-sha-256")
    told = settled(at(server, user=name), "no pg_hba.conf entry")
    assert "lets nobody in" in told
    assert "let this user in there (pg_hba.conf)" in told


def test_a_server_that_wants_a_password_says_so(
    server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.admit("local all all scram-sha-256")
    assert "say it in PGPASSWORD" in settled(at(server), "no password supplied")
    monkeypatch.setenv("PGPASSWORD", "wrong")
    told = refusal(at(server))
    assert "password authentication failed" in told
    assert "say it in PGPASSWORD" in told


def test_a_server_that_shuts_down_is_waited_for(server: PostgresServer) -> None:
    with closing(psycopg.connect(server.dsn)):
        server.shut_down()
        told = settled(server.dsn, "the database system is shutting down")
        server.stop()
    server.start()
    assert re.search(r"lets nobody in .*; wait until", told), told


def test_a_server_that_speaks_another_language_is_there_all_the_same(
    server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGUAGE", "ru")
    with psycopg.connect(server.dsn, autocommit=True) as link:
        link.execute("ALTER SYSTEM SET lc_messages = 'C.UTF-8'")
    server.stop()
    server.start()
    told = refusal(at(server, database="password"))
    if "ВАЖНО" not in told:
        pytest.skip(f"the server here speaks English only: {told}")
    assert re.search(r'lets nobody in .*"password" не .*ask who runs it', told), told


def test_what_a_connection_lacks_to_be_secured_is_no_matter_of_who_is_let_in(
    server: PostgresServer, tmp_path: Path
) -> None:
    port = free_port()
    dsn = f"postgresql://test@127.0.0.1:{port}/postgres"
    server.listen(port)
    told = refusal(f"{dsn}?sslmode=require")
    assert re.search(r"cannot be secured .*not support SSL.*sslmode", told), told
    server.listen(port, **server.certify())
    told = refusal(f"{dsn}?sslmode=verify-full&sslrootcert={tmp_path}/password.crt")
    assert re.search(r'cannot be secured .*password.crt" does not exist.*sslrootcert', told), told
    assert "createuser" not in told


@pytest.mark.parametrize(
    ("state", "expected"), [("3D000", "make it"), ("53300", "max_connections"), ("57P03", "wait")]
)
def test_a_state_is_told_from_any_words(server: PostgresServer, state: str, expected: str) -> None:
    store = PostgresStore(server.dsn)
    statement = f"DO $$ BEGIN RAISE EXCEPTION 'nein' USING ERRCODE = '{state}'; END $$"
    expected = f"lets nobody in .nein.; .*{expected}"
    with pytest.raises(StoreUnavailable, match=expected), store.transaction() as tx:
        tx.connection.execute(statement)
    store.close()
