"""Code that ends, stops or breaks itself and all around it: the host says how it ended."""

import os
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from guards.sandboxes.sandbox import Limits, Running, Sandbox, SandboxEnded
from tests.support.sandboxes import BOUNDARIES, job, task_agent

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("sandbox", BOUNDARIES)]
SHORT = Limits(wall_s=0.8, cpu_s=20, processes=40)
SMALL = Limits(wall_s=20.0, cpu_s=10, memory_bytes=300 * 1024**2, open_files=256)


class Ending(NamedTuple):
    code: str
    verdict: str  # pattern of the reply's error, of the way it ended, or of its prediction
    limits: Limits = SMALL


FORK = "import os, signal, time\n"
ENDINGS = {
    "endless fork bomb": Ending(
        FORK + "while True:\n    try: os.fork()\n    except OSError: pass", "wall_clock", SHORT
    ),
    "endless fork bomb by the shell": Ending(
        "import subprocess\nsubprocess.run(['bash', '-c', ':(){ :|:& };: ; sleep 9'])",
        "wall_clock",
        SHORT,
    ),
    "stopping all": Ending(
        FORK + "os.fork()\nos.kill(-1, 19); os.kill(os.getpid(), 19)", "wall_clock", SHORT
    ),
    "killing the first process": Ending(FORK + "os.kill(1, 9)\nreturn 'alive', []", "alive"),
    "interrupting the first process": Ending(FORK + "os.kill(1, 2)\ntime.sleep(5)", "exited"),
    "killing all": Ending(
        FORK + "if os.fork() == 0: time.sleep(99)\nos.kill(-1, 9)\nreturn 'alive', []", "alive"
    ),
    "killing itself": Ending(FORK + "os.kill(os.getpid(), 9)", "exited: it was killed by signal 9"),
    "endless disk filler": Ending(
        "f = open('full', 'wb')\nwhile True: f.write(bytes(1 << 16)); f.flush()",
        r"OSError: \[Errno 2[78]\]",
        Limits(wall_s=20.0, disk_bytes=2 * 1024**2),
    ),
    "endless output": Ending(
        "import subprocess\nsubprocess.run(['yes'])",
        "output: more than 50000 bytes",
        Limits(wall_s=20.0, output_bytes=50_000),
    ),
    "deep recursion": Ending("f = lambda: f()\nf()", "RecursionError"),
    "crash": Ending("import ctypes\nctypes.string_at(0)", "exited: it was killed by signal 11"),
    "abort": Ending("import os\nos.abort()", "exited: it was killed by signal 6"),
    "closing every descriptor": Ending(
        "import os\nos.closerange(0, 255)\nreturn 'x', []", "exited"
    ),
}


async def outcome(running: Running) -> str:
    request = {"op": "predict", "id": "1", "inputs": {"q": 1}, "model": "m"}
    try:
        reply = await running.request(request, 30.0)
    except SandboxEnded as ended:
        return str(ended)
    return str(reply.get("error") or reply.get("prediction"))


@pytest.mark.long
@pytest.mark.parametrize("name", ENDINGS)
async def test_it_is_bounded_and_nothing_survives(sandbox: Sandbox, name: str) -> None:
    code, verdict, limits = ENDINGS[name]
    async with sandbox.start(job(task=task_agent(code), limits=limits)) as running:
        space = namespace(running)
        # Held open, its name cannot pass to another namespace before we have looked.
        with space.open("rb"):
            name = str(space.readlink())
            assert re.match(verdict, await outcome(running))
            os.close(await running.finish())
            assert not living_in(name)


def namespace(running: Running) -> Path:
    return Path(*running.workspace.parts[:3], "ns/pid")


def living_in(space: str) -> list[str]:
    rows: list[str] = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and str((entry / "ns/pid").readlink()) == space:
                rows.append(entry.name)
        except OSError:
            continue
    return rows
