"""Commands of a job, in a folder in which an earlier try may have worked."""

import os
import sys
from pathlib import Path

import pytest

from hyperspace.executor.commands import play_commands
from hyperspace.executor.jobs import CommandJob

pytestmark = pytest.mark.anyio

PACK = """
from pathlib import Path
with Path("packed").open("x") as file:
    file.write("again")
"""


async def test_what_an_earlier_try_packed_is_not_in_the_way_of_the_next(tmp_path: Path) -> None:
    (tmp_path / "packed").write_text("an earlier try's")
    job = CommandJob(commands=((sys.executable, "-c", PACK),), artefact="packed")
    told: list[bytes] = []
    outcome = await play_commands(job, tmp_path, os.environ, told.append)
    assert (outcome.state, outcome.artefact) == ("done", b"again")
