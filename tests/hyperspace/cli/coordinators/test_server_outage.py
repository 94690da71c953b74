"""The server of a run's space goes away and comes back: the run waits and goes on."""

import subprocess
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from hyperspace.kernel.state.digest import digest
from tests.hyperspace.cli.coordinators.test_takeover import PLACE, coordinator, until_closed
from tests.support.command import pair
from tests.support.servers.postgres_server import PostgresServer

pytestmark = pytest.mark.postgres
PATIENCE_S = 300


@pytest.fixture
def own_server(postgres: PostgresServer) -> Generator[PostgresServer]:
    """A server that this test may stop."""
    server = PostgresServer()
    yield server
    server.remove()


def said_until(process: "subprocess.Popen[str]", words: str, lines: list[str]) -> None:
    """Read what a process says until it says these words."""
    assert process.stdout is not None
    for line in process.stdout:
        lines.append(line)
        if words in line:
            return
    raise AssertionError("".join(lines))


def test_a_run_waits_for_its_server_and_ends_with_the_same_digest(
    own_server: PostgresServer, tmp_path: Path
) -> None:
    lines: list[str] = []
    playing = coordinator(tmp_path, own_server.dsn)
    until_closed(tmp_path, "magpie", 0)
    own_server.stop()
    said_until(playing, "the run waits for the server of its space", lines)
    time.sleep(2)
    own_server.start()
    said_until(playing, "the run goes on", lines)
    rest = playing.communicate(timeout=PATIENCE_S)[0]
    assert playing.returncode == 0, "".join(lines) + rest
    assert "Traceback" not in "".join(lines) + rest
    assert digest(tmp_path / PLACE) == pair(tmp_path / "alone")["digest"]


def test_a_server_that_stays_away_pauses_the_run(
    own_server: PostgresServer, tmp_path: Path
) -> None:
    playing = coordinator(tmp_path, own_server.dsn, "--outage-minutes", "0.05")
    until_closed(tmp_path, "tinker", 0)
    own_server.stop()
    said = playing.communicate(timeout=PATIENCE_S)[0]
    own_server.start()
    assert playing.returncode == 1, said
    assert "the same command goes on" in said.strip().splitlines()[-1]
    again = coordinator(tmp_path, own_server.dsn)
    said = again.communicate(timeout=PATIENCE_S)[0]
    assert again.returncode == 0, said
