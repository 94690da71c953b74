"""Bounds on all processes of a sandbox together, where this host lets us have control groups."""

import os
import time
from collections.abc import Iterator
from contextlib import closing

import pytest

from guards.sandboxes.bubblewrap.bubblewrap import BubblewrapSandbox
from guards.sandboxes.bubblewrap.cgroup import places, sweep_groups
from guards.sandboxes.bubblewrap.warm import WarmBubblewrapSandbox
from guards.sandboxes.process import ProcessSandbox
from guards.sandboxes.sandbox import Sandbox
from guards.sandboxes.sweep import marker
from tests.support.balloons import inflated
from tests.support.processes import groups
from tests.support.sandboxes import job, needs_bubblewrap

pytestmark = [
    pytest.mark.anyio,
    needs_bubblewrap,
    pytest.mark.skipif(not places(), reason="this host lets us make no control groups"),
]
ASK = {"op": "predict", "id": "1", "inputs": {"q": 1}, "model": "m"}


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=["warm", "cold"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    if request.param == "cold":
        yield BubblewrapSandbox()
        return
    with closing(WarmBubblewrapSandbox()) as warm:
        yield warm


async def test_without_a_group_all_of_it_can_be_had() -> None:
    assert await inflated(ProcessSandbox()) == "6"


async def test_a_running_sandbox_has_its_processes_in_its_groups(sandbox: Sandbox) -> None:
    label = f"grouped-{os.getpid()}"
    async with sandbox.start(job(label=label)) as running:
        await running.request(ASK, 20.0)
        first = running.workspace.parts[2]
        members = [(group / "cgroup.procs").read_text().split() for group in groups(label)]
        assert len(members) == len(places())
        assert all(first in pids and len(pids) == 2 for pids in members)
    wait_for_the_end_of_groups(label)


def wait_for_the_end_of_groups(label: str) -> None:
    """The kernel keeps a group for a moment."""
    until = time.monotonic() + 60.0
    while groups(label):
        assert time.monotonic() < until
        time.sleep(0.005)


def test_a_sweep_removes_the_groups_of_its_label_only() -> None:
    mine, other = f"swept-{os.getpid()}", f"kept-{os.getpid()}"
    made = [p.folder / f"{marker(label)}-0" for p in places() for label in (mine, other)]
    for group in made:
        group.mkdir()
    sweep_groups(mine)
    assert not groups(mine) and len(groups(other)) == len(places())
    sweep_groups(other)
    assert not groups(other)
