"""Attacks with processes, memory, disk and output: bounded, and nothing survives."""

import os
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from guards.sandbox import Limits, Running, Sandbox, SandboxEnded
from tests.support.sandboxes import BOUNDARIES, job, task_agent

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("sandbox", BOUNDARIES)]
SHORT = Limits(wall_s=0.8, cpu_s=20, processes=40)
SMALL = Limits(
    wall_s=20.0, cpu_s=10, memory_bytes=300 * 1024**2, disk_bytes=2 * 1024**2, output_bytes=50_000
)


class Attack(NamedTuple):
    code: str
    verdict: str  # pattern of the reply's error, of the way it ended, or of its prediction
    limits: Limits = SMALL


FORK = "import os, signal, time\n"
ATTACKS = {
    "fork bomb": Attack(
        FORK + "while True:\n    try: os.fork()\n    except OSError: pass", "wall_clock", SHORT
    ),
    "thread bomb": Attack(
        "import threading, time\n"
        "while True: threading.Thread(target=time.sleep, args=(9,), daemon=True).start()",
        "RuntimeError: can't start new thread",
        Limits(wall_s=20.0, processes=40),
    ),
    "shell fork bomb": Attack(
        "import subprocess\nsubprocess.run(['bash', '-c', ':(){ :|:& };: ; sleep 9'])",
        "wall_clock",
        SHORT,
    ),
    "zombies": Attack(
        FORK + "while True:\n    if os.fork() == 0: os._exit(0)",
        "BlockingIOError",
        Limits(wall_s=20.0, processes=40),
    ),
    "double fork": Attack(
        FORK + "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(99)\n"
        "    os._exit(0)\nreturn 'left', []",
        "left",
    ),
    "daemon by the shell": Attack(
        "import subprocess\nsubprocess.run('setsid nohup sleep 99 >/dev/null 2>&1 &', shell=True)\n"
        "return 'left', []",
        "left",
    ),
    "ignoring signals": Attack(
        FORK + "for n in (1, 2, 3, 13, 15, 20, 24): signal.signal(n, signal.SIG_IGN)\n"
        "time.sleep(99)",
        "wall_clock",
        SHORT,
    ),
    "ignoring the end of its CPU time": Attack(
        FORK + "signal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass",
        "exited: it was killed by signal 9",
        Limits(wall_s=20.0, cpu_s=1),
    ),
    "stopping itself": Attack(FORK + "os.kill(os.getpid(), signal.SIGSTOP)", "wall_clock", SHORT),
    "stopping all": Attack(
        FORK + "os.fork()\nos.kill(-1, 19); os.kill(os.getpid(), 19)", "wall_clock", SHORT
    ),
    "killing the first process": Attack(FORK + "os.kill(1, 9)\nreturn 'alive', []", "alive"),
    "interrupting the first process": Attack(FORK + "os.kill(1, 2)\ntime.sleep(5)", "exited"),
    "killing all": Attack(
        FORK + "if os.fork() == 0: time.sleep(99)\nos.kill(-1, 9)\nreturn 'alive', []", "alive"
    ),
    "killing itself": Attack(FORK + "os.kill(os.getpid(), 9)", "exited: it was killed by signal 9"),
    "memory balloon": Attack("x = bytearray(1 << 33)", "MemoryError"),
    "slow memory balloon": Attack("x = []\nwhile True: x.append(bytes(1 << 24))", "MemoryError"),
    "disk filler": Attack(
        "f = open('full', 'wb')\nwhile True: f.write(bytes(1 << 16)); f.flush()",
        r"OSError: \[Errno 2[78]\]",
    ),
    "disk filler with many files": Attack(
        "for n in range(99999): open(f'/tmp/{n}', 'wb').write(bytes(1 << 16))",
        r"OSError: \[Errno 28\]",
    ),
    "descriptor hoarder": Attack(
        "kept = []\nwhile True: kept.append(open('/dev/null'))", r"OSError: \[Errno 24\]"
    ),
    "output flood": Attack("while True: print('x' * 999)", "output: more than 50000 bytes"),
    "error flood": Attack(
        "import sys\nwhile True: sys.stderr.write('x' * 999)", "output: more than 50000 bytes"
    ),
    "output flood by a child": Attack(
        "import subprocess\nsubprocess.run(['yes'])", "output: more than 50000 bytes"
    ),
    "endless sleep": Attack("import time\ntime.sleep(1e6)", "wall_clock", SHORT),
    "deep recursion": Attack("f = lambda: f()\nf()", "RecursionError"),
    "crash": Attack("import ctypes\nctypes.string_at(0)", "exited: it was killed by signal 11"),
    "core dump": Attack("import os\nos.abort()", "exited: it was killed by signal 6"),
    "closing every descriptor": Attack(
        "import os\nos.closerange(0, 255)\nreturn 'x', []", "exited"
    ),
}


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


async def outcome(running: Running) -> str:
    request = {"op": "predict", "id": "1", "inputs": {"q": 1}, "model": "m"}
    try:
        reply = await running.request(request, 30.0)
    except SandboxEnded as ended:
        return str(ended)
    return str(reply.get("error") or reply.get("prediction"))


@pytest.mark.parametrize("name", ATTACKS)
async def test_attack_is_bounded_and_nothing_survives(sandbox: Sandbox, name: str) -> None:
    code, verdict, limits = ATTACKS[name]
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
    found: list[str] = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and str((entry / "ns/pid").readlink()) == space:
                found.append(entry.name)
        except OSError:
            continue
    return found
