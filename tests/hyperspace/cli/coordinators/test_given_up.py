"""A generation is given up in a run whose space is on a server, also from another folder."""

from pathlib import Path
from uuid import uuid4

import pytest

from tests.support.runs.stuck import StuckRun, stuck_pair, stuck_servers
from tests.support.sandboxes import needs_bubblewrap
from tests.support.servers.postgres_server import PostgresServer

pytestmark = [pytest.mark.postgres, needs_bubblewrap]


def played(run: StuckRun) -> str:
    """Pause a run at its server, give up what it was at; returns its digest at the end."""
    run.pause()
    run.give_up("a")
    return run.end()


def test_a_run_in_a_space_on_a_server_ends_as_one_in_its_folder(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    address = f"{postgres.dsn}&space=t{uuid4().hex[:20]}"
    with stuck_servers() as servers:
        alone = stuck_pair(tmp_path / "alone", servers)
        apart = stuck_pair(tmp_path / "apart", servers, "--space", address)
        assert played(apart) == played(alone)
