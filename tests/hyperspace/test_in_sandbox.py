"""Runtime, broker and sandbox together, as a run uses them."""

import os
from pathlib import Path

import pytest

from guards.sandboxes.bubblewrap.bubblewrap import BubblewrapSandbox, probe
from guards.sandboxes.process import ProcessSandbox
from guards.sandboxes.sandbox import Job, Sandbox
from hyperspace.broker.broker import Broker
from hyperspace.models.base import Model, ModelError, ProviderDown
from hyperspace.tracing.traces import Recorder, read_trace
from hyperspace.workspace.seed_code import runtime_files, seed_files
from tests.support.agent_workspace import MODEL, bash, calls, says, scripted
from tests.support.models import ListModel

pytestmark = pytest.mark.anyio
FILES = {**seed_files(), **runtime_files()}


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=["bubblewrap", "process"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    if request.param == "process":
        return ProcessSandbox()
    if reason := probe():
        pytest.skip(reason)
    return BubblewrapSandbox()


async def modify(
    sandbox: Sandbox, model: Model, folder: Path
) -> tuple[object, ModelError | None, str]:
    """Run the seed's meta agent; its reply, the outage if any, and its task agent afterwards."""
    with Recorder(folder / "calls.jsonl") as recorder:
        async with Broker(model, recorder, label="together") as broker:
            broker.begin_item("modify")
            async with sandbox.start(Job("modify", FILES, broker)) as running:
                where = running.inside_path
                frame = {"op": "modify", "model": MODEL, "repo_path": where, "eval_path": "e"}
                reply = await running.request({**frame, "iterations_left": 1}, 60.0)
                return reply, broker.outage, _read(await running.finish(), "task_agent.py")


def _read(folder: int, name: str) -> str:
    try:
        with os.fdopen(os.open(name, os.O_RDONLY, dir_fd=folder)) as file:
            return file.read()
    finally:
        os.close(folder)


async def test_the_seed_edits_its_code_with_both_tools(sandbox: Sandbox, tmp_path: Path) -> None:
    edit: dict[str, object] = {
        "command": "str_replace",
        "path": "task_agent.py",
        "old_str": "None",
        "new_str": "x",
    }
    model = scripted(
        calls(bash("pwd; cat <<'END' >> task_agent.py\n# by bash\nEND"), ("editor", edit)),
        calls(("editor", {**edit, "old_str": "# by bash", "new_str": "# by both"})),
        says("done"),
    )
    reply, outage, code = await modify(sandbox, model, tmp_path)
    assert (reply, outage) == ({"ok": True}, None)
    assert code.endswith("# by both\n")
    assert len(read_trace(tmp_path / "calls.jsonl").calls) == 3


async def test_equal_work_gives_equal_requests_whatever_the_time_and_place(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    # A job is seen as the shell until it has begun its program, and CPU time is not equal work.
    # Waiting starts no program: each would take the next process id, as often as it is started.
    begun = 'until read -r name < /proc/$!/comm && [ "$name" = sleep ]; do :; done'
    job = f"sleep 9 & {begun}; jobs; ps -eo pid,ppid,comm"
    looks = f"ls -lR --full-time; stat -c '%i %a %u %s %y' *; {job}; env; hostname"
    model = scripted(
        calls(bash(looks)),
        calls(bash("cat nope; nosuch; echo $!"), ("editor", {"command": "view", "path": "."})),
        says("done"),
    )
    hashes: list[list[str]] = []
    for attempt in ("one", "two"):
        (tmp_path / attempt).mkdir()
        await modify(sandbox, model, tmp_path / attempt)
        trace = read_trace(tmp_path / attempt / "calls.jsonl")
        hashes.append([call.request_sha256 for call in trace.calls])
    if sandbox.is_boundary:
        assert hashes[0] == hashes[1]
    assert hashes[0][0] == hashes[1][0]


async def test_an_outage_is_known_to_the_host_whatever_the_agent_makes_of_it(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    reply, outage, _ = await modify(sandbox, ListModel(MODEL, [ProviderDown("gone")]), tmp_path)
    assert isinstance(reply, dict) and reply["ok"] is False
    assert str(outage) == "gone"
