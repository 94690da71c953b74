"""What is left of candidates, of a template, and of a program that had one: nothing."""

import gc
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

import anyio
import msgspec
import pytest

from guards.sandboxes.bubblewrap.bubblewrap import BubblewrapSandbox, bwrap_path
from guards.sandboxes.bubblewrap.warm import WarmBubblewrapSandbox
from guards.sandboxes.own_folder import own_folder
from guards.sandboxes.sandbox import Job, Running, Sandbox, SandboxLost
from guards.sandboxes.sweep import kill_marked, marker
from tests.support.paths import ROOT
from tests.support.processes import descendants, groups, left_after
from tests.support.sandboxes import job, left_of, needs_bubblewrap, task_agent
from tests.support.servers.greeting import GreetingBroker

pytestmark = [pytest.mark.anyio, needs_bubblewrap]
LABEL = f"leftovers-{os.getpid()}"
ASK = {"op": "predict", "id": "1", "inputs": {"q": 1}, "model": "m"}
FORGETFUL = """
import anyio
from guards.sandboxes.bubblewrap.warm import WarmBubblewrapSandbox
from tests.support.sandboxes import job
kept = WarmBubblewrapSandbox()
async def main():
    for _ in range(3):
        async with kept.start(job(label="{label}")):
            pass
anyio.run(main)
"""

COLD_START = """
import anyio
from guards.sandboxes.bubblewrap.bubblewrap import BubblewrapSandbox
from tests.support.sandboxes import job
async def main():
    async with BubblewrapSandbox().start(job(label="{label}")):
        pass
anyio.run(main)
"""
# Bubblewrap, but that a start which is to be told of waits until nobody can be told.
LATE_BUBBLEWRAP = """#!/bin/sh
case "$*" in *--info-fd*) echo up > {told}; read -r _ < {gate} ;; esac
exec {bubblewrap} "$@"
"""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def warm() -> Iterator[WarmBubblewrapSandbox]:
    with closing(WarmBubblewrapSandbox(ready=1)) as sandbox:
        yield sandbox


async def ask(running: Running) -> str:
    reply = await running.request(ASK, 20.0)
    return reply.get("prediction") or f"error: {reply.get('error')}"


async def test_a_template_that_was_killed_is_replaced(warm: Sandbox) -> None:
    label = f"killed-{os.getpid()}"
    async with warm.start(job(label=label)) as running:
        assert await ask(running) == "1"
    kill_marked(marker(label))
    async with warm.start(job(label=label)) as running:
        assert await ask(running) == "1"
    warm.sweep(label)


async def test_a_candidate_is_not_blamed_for_the_end_of_its_template(
    warm: Sandbox,
) -> None:
    label = f"orphan-{os.getpid()}"
    async with warm.start(job(label=label)) as running:
        kill_marked(marker(label))
        with pytest.raises(SandboxLost):
            while True:  # what was held ends a moment after what held it
                await running.request(ASK, 10.0)
    warm.sweep(label)


async def test_a_candidate_is_not_blamed_for_the_end_of_its_monitor() -> None:
    label = f"monitor-{os.getpid()}"
    async with BubblewrapSandbox().start(job(label=label)) as running:
        kill_marked(marker(label))
        with pytest.raises(SandboxLost):
            while True:  # what was held ends a moment after what held it
                await running.request(ASK, 10.0)


async def test_a_cancelled_start_leaves_nothing(warm: WarmBubblewrapSandbox) -> None:
    for _ in range(2):  # from the second one on there is one ready for the next
        async with warm.start(job()):
            pass
    before = at_rest()
    for delay_ms in range(12):
        with anyio.move_on_after(delay_ms / 1000):
            async with warm.start(job()):
                await anyio.sleep(delay_ms / 4000)
    assert at_rest(before) == before


@pytest.mark.long
async def test_a_cold_start_that_is_cancelled_anywhere_leaves_no_process() -> None:
    wanted = job(label=f"cut-{os.getpid()}")
    async with BubblewrapSandbox().start(wanted):
        pass
    for delay_ms in range(0, 24, 2):
        with anyio.move_on_after(delay_ms / 1000):
            async with BubblewrapSandbox().start(wanted):
                await anyio.sleep_forever()
        assert marked(wanted.label) == []


@pytest.mark.long
async def test_two_hundred_in_a_row_leave_nothing(warm: Sandbox) -> None:
    await leave_nothing(warm, 200)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [partial(WarmBubblewrapSandbox, ready=1), BubblewrapSandbox])
async def test_a_thousand_in_a_row_leave_nothing(kind: Callable[[], Sandbox]) -> None:
    await leave_nothing(kind(), 1000)


async def leave_nothing(sandbox: Sandbox, count: int) -> None:
    body = "import os, time\nif os.fork() == 0: time.sleep(99)\nreturn 'x', []"
    wanted = Job("worker", job(task=task_agent(body)).files, label=LABEL)
    await use(sandbox, wanted, 2)  # from the second one on there is one ready for the next
    before = at_rest()
    await use(sandbox, wanted, count)
    assert at_rest(before) == before


async def use(sandbox: Sandbox, wanted: Job, count: int) -> None:
    for _ in range(count):
        with GreetingBroker() as broker:
            async with sandbox.start(msgspec.structs.replace(wanted, broker=broker)) as running:
                assert await ask(running) == "x"


async def test_closing_ends_the_template(warm: WarmBubblewrapSandbox) -> None:
    before, label = descendants(os.getpid()), f"closed-{os.getpid()}"
    for _ in range(3):
        async with warm.start(job(label=label)):
            pass
    begun = descendants(os.getpid()) - before
    warm.close()
    assert begun and not left_after(60.0, begun)
    assert not folders(label) and not groups(label)


@pytest.mark.long
def test_a_program_that_ends_without_closing_leaves_no_process_and_no_folder() -> None:
    label = f"forgotten-{os.getpid()}"
    source = FORGETFUL.format(label=label)
    subprocess.run([sys.executable, "-c", source], cwd=ROOT, check=True, timeout=120)
    assert not folders(label) and not groups(label)
    assert not marked(label)


@pytest.mark.long
def test_a_coordinator_killed_before_a_cold_start_is_told_of_leaves_no_process() -> None:
    label = f"untold-{os.getpid()}"
    with tempfile.TemporaryDirectory() as folder:  # not pytest's: the sandbox's user must enter
        told, gate = late_bubblewrap(Path(folder))
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
        command = [sys.executable, "-c", COLD_START.format(label=label)]
        with subprocess.Popen(command, cwd=ROOT, env=environment) as coordinator:
            assert told.read_text() == "up\n"
            begun = descendants(coordinator.pid)
            coordinator.kill()
        gate.write_text("go\n")
    assert begun and not left_after(60.0, begun)
    assert not left_of(label)


def late_bubblewrap(folder: Path) -> tuple[Path, Path]:
    """Put it into the folder; return the pipes on which it tells, and is told to go on."""
    told, gate, program = folder / "told", folder / "gate", folder / "bwrap"
    for pipe in (told, gate):
        os.mkfifo(pipe)
        pipe.chmod(0o666)
    program.write_text(LATE_BUBBLEWRAP.format(told=told, gate=gate, bubblewrap=bwrap_path()))
    program.chmod(0o755)
    folder.chmod(0o755)
    return told, gate


def test_a_template_that_cannot_start_leaves_no_folder(tmp_path: Path) -> None:
    label = f"unstarted-{os.getpid()}"
    source = (
        f"from guards.sandboxes.bubblewrap.template import WarmTemplate\nWarmTemplate({label!r})"
    )
    environment = {**os.environ, "PATH": str(tmp_path), "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", source], cwd=ROOT, env=environment, capture_output=True, check=False
    )
    assert b"bubblewrap is not installed" in done.stderr
    assert not list(tmp_path.glob("*/*"))


def test_a_template_outlives_the_thread_and_the_event_loop_that_asked_for_it(
    warm: WarmBubblewrapSandbox,
) -> None:
    async def once() -> None:
        async with warm.start(job()) as running:
            assert await ask(running) == "1"

    before, seen = descendants(os.getpid()), list[set[int]]()
    for _ in range(3):
        thread = threading.Thread(target=anyio.run, args=(once,))
        thread.start()
        thread.join()
        seen.append({pid for pid in descendants(os.getpid()) - before if is_template(pid)})
    assert seen[0] & seen[1] & seen[2]  # what it forks, which comes and goes, looks like it


class Traces(NamedTuple):
    """Traces of us on this machine, but for those of other programs."""

    processes: int
    descriptors: int
    mounts: int
    groups: int
    sockets: int
    files: int


def traces() -> Traces:
    own = Path("/proc/self")
    return Traces(
        len(descendants(os.getpid())),
        len(list((own / "fd").iterdir())),
        (own / "mountinfo").read_text().count("\n"),
        len(groups(LABEL)),
        sum(marker(LABEL) in line for line in (own / "net/unix").read_text().splitlines()),
        len(list(own_folder().glob(f"{marker(LABEL)}*/*"))),
    )


def at_rest(expected: Traces | None = None) -> Traces:
    """The traces once they stay as they are: a template hears of an end a moment after it.

    On a busy machine what is had ready for the next may take longer than they stay: what is
    expected is waited for.
    """
    gc.collect()  # what other tests have left to it would go in the middle
    until, seen = time.monotonic() + 60.0, [traces()]
    while len(seen) < 10 or len(set(seen[-10:])) > 1 or seen[-1] != (expected or seen[-1]):
        if time.monotonic() > until:
            assert len(set(seen[-10:])) == 1, seen[-10:]
            break
        time.sleep(0.01)
        seen.append(traces())
    return seen[-1]


def is_template(pid: int) -> bool:
    try:
        return b"ForkServer(json" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def folders(label: str) -> list[Path]:
    return list(own_folder().glob(f"{marker(label)}*"))


def marked(label: str) -> list[str]:
    leftovers: list[str] = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if marker(label).encode() in (entry / "environ").read_bytes():
                leftovers.append(entry.name)
    return leftovers
