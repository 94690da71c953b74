"""Small workspaces, and which sandboxes work on this machine."""

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from guards.sandboxes.bubblewrap.bubblewrap import BubblewrapSandbox, probe
from guards.sandboxes.bubblewrap.warm import WarmBubblewrapSandbox
from guards.sandboxes.docker.container import DockerSandbox
from guards.sandboxes.process import ProcessSandbox
from guards.sandboxes.sandbox import Job, Limits, Program, Sandbox
from guards.sandboxes.sweep import marker

TASK = """
class TaskAgent:
    def __init__(self, model, log_file=""):
        self.model = model

    def forward(self, inputs):
        return str(inputs.get("q")), []
"""
META = """
class MetaAgent:
    def __init__(self, model, temperature=0.0):
        pass

    def forward(self, repo_path, eval_path, iterations_left=None):
        pass
"""
FILES = {
    "task_agent.py": TASK.encode(),
    "meta_agent.py": META.encode(),
    "agent/__init__.py": b"FROZEN = True\n",
    "evals/train_items.jsonl": b'{"id": "1"}\n',
    "strategies/peer_gen1/task_agent.py": b"PEER = True\n",
}
LIMITS = Limits(wall_s=30.0, cpu_s=20)

needs_bubblewrap = pytest.mark.skipif(probe() is not None, reason=f"no bubblewrap: {probe()}")
BOUNDARIES = [
    pytest.param(WarmBubblewrapSandbox(), id="bubblewrap", marks=needs_bubblewrap),
    pytest.param(BubblewrapSandbox(), id="bubblewrap-cold", marks=needs_bubblewrap),
    pytest.param(DockerSandbox(), id="docker", marks=pytest.mark.docker),
]
EVERY_SANDBOX = [*BOUNDARIES, pytest.param(ProcessSandbox(), id="process")]


def job(
    program: Program = "worker",
    *,
    task: str = TASK,
    meta: str = META,
    more: Mapping[str, bytes] | None = None,
    limits: Limits = LIMITS,
    label: str = "tests",
) -> Job:
    """A job on the small workspace, with its own agents where given."""
    files = {**FILES, "task_agent.py": task.encode(), "meta_agent.py": meta.encode()}
    return Job(program, {**files, **(more or {})}, None, limits, label)


async def look_inside(sandbox: Sandbox, job: Job) -> dict[str, Any]:
    """What becomes of a job's `look.py`, played as answers that are code are."""
    frame = {
        "op": "execute",
        "steps": [["{python}", "look.py"]],
        "stdin": "",
        "cpu_s": 10,
        "output_characters": 10_000,
    }
    async with sandbox.start(job) as running:
        return await running.request(frame, 30.0)


def task_agent(body: str, before: str = "") -> str:
    """Source of a task agent whose `forward` does this."""
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    return (
        f"{before}\nclass TaskAgent:\n    def __init__(self, model): pass\n"
        f"    def forward(self, inputs):\n{lines}\n"
    )


def meta_agent(body: str) -> str:
    """Source of a meta agent whose `forward` does this in its workspace."""
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    return (
        "import os\nclass MetaAgent:\n    def __init__(self, model): pass\n"
        f"    def forward(self, repo_path, eval_path, iterations_left):\n{lines}\n"
    )


def modify(inside_path: str) -> dict[str, object]:
    """The request that starts a modification."""
    paths = {"repo_path": inside_path, "eval_path": f"{inside_path}/evals"}
    return {"op": "modify", "model": "m", **paths, "iterations_left": 1}


def left_of(label: str) -> list[str]:
    """Processes of a label's sandboxes that still live; waits for the kernel to end them."""
    mark = f"HYPERSPACE_SANDBOX={marker(label)}".encode()
    deadline = time.monotonic() + 60
    while (pids := list(_marked(mark))) and time.monotonic() < deadline:
        time.sleep(0.02)
    return pids


def _marked(mark: bytes) -> Iterator[str]:
    for environ in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):  # it ended meanwhile
            if mark in environ.read_bytes().split(b"\0"):
                yield environ.parent.name
