"""What the processes of a sandbox take together: memory, and files that hold nothing."""

import pytest

from guards.sandboxes.bubblewrap.bubblewrap import BubblewrapSandbox
from guards.sandboxes.bubblewrap.cgroup import places
from guards.sandboxes.sandbox import Limits, Sandbox, SandboxEnded
from tests.support.balloons import ASK, inflated
from tests.support.sandboxes import BOUNDARIES, job, task_agent

pytestmark = pytest.mark.anyio
NO_GROUPS = "this host lets us make no control groups"
# A cold bubblewrap has no bound on the number of files; they take the kernel's memory all the same.
EMPTY_FILES = """
for n in range(400_000):
    open(f'/workspace/{n}', 'w').close()
return 'through', []
"""
SMALL = Limits(wall_s=30.0, memory_bytes=100 * 1024**2, disk_bytes=2 * 1024**2)


def needs_groups(sandbox: Sandbox) -> None:
    if sandbox.name == "bubblewrap" and not places():
        pytest.skip(NO_GROUPS)


@pytest.mark.parametrize("sandbox", BOUNDARIES)
async def test_memory_is_bounded_for_all_processes_together(sandbox: Sandbox) -> None:
    needs_groups(sandbox)
    try:
        assert int(await inflated(sandbox)) < 6
    except SandboxEnded as ended:  # the kernel took the first process of all
        assert "signal 9" in ended.detail


@pytest.mark.parametrize("sandbox", BOUNDARIES)
async def test_files_without_content_are_bounded_too(sandbox: Sandbox) -> None:
    if isinstance(sandbox, BubblewrapSandbox):
        needs_groups(sandbox)
    async with sandbox.start(job(task=task_agent(EMPTY_FILES), limits=SMALL)) as running:
        try:
            reply = await running.request(ASK, 30.0)
        except SandboxEnded as ended:
            assert "signal 9" in ended.detail
            assert isinstance(sandbox, BubblewrapSandbox)
        else:
            assert "No space left" in reply["error"]
