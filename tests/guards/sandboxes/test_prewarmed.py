"""Sandboxes that are started ahead: handed out once, to jobs of their needs, and only alive."""

import asyncio
import gc
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import anyio
import pytest

from guards.sandboxes.bubblewrap.cgroup import places
from guards.sandboxes.bubblewrap.prewarmed import (
    MOST_SHARES,
    Needs,
    PrewarmedSandbox,
    PrewarmedSandboxes,
)
from guards.sandboxes.bubblewrap.template import WarmTemplate
from guards.sandboxes.bubblewrap.warm import WarmBubblewrapSandbox
from guards.sandboxes.sandbox import Job, Limits, Sandbox, SandboxLost
from guards.sandboxes.sweep import kill_marked, marker
from tests.support.paths import ROOT
from tests.support.processes import descendants, groups, left_after
from tests.support.sandboxes import job, needs_bubblewrap, task_agent
from tests.support.servers.greeting import GREETED, GreetingBroker

pytestmark = [pytest.mark.anyio, needs_bubblewrap]
ASK = {"op": "predict", "id": "1", "inputs": {"q": 1}, "model": "m"}
LABEL = f"empty-{os.getpid()}"
PLAIN = Needs(Limits(), has_broker=False)
ROOM = "import os\nat = os.statvfs('/workspace')\nreturn str(at.f_blocks * at.f_frsize), []"

LATE_THREAD = """
import anyio, threading, time
from guards.sandboxes.bubblewrap.warm import WarmBubblewrapSandbox
from tests.support.sandboxes import job
async def use():
    for _ in range(6):
        async with warm.start(job(label="{label}")) as running:
            ask = {{"op": "predict", "id": "1", "inputs": {{"q": 1}}, "model": "m"}}
            print((await running.request(ask, 20.0))["prediction"])
def late():
    threading.main_thread().join()
    anyio.run(use)
    warm.close()
warm = WarmBubblewrapSandbox()
threading.Thread(target=late).start()
"""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def empties() -> Iterator[PrewarmedSandboxes]:
    with closing(PrewarmedSandboxes(WarmTemplate(LABEL), LABEL, most=2)) as made:
        yield made


@pytest.fixture
def warm() -> Iterator[WarmBubblewrapSandbox]:
    with closing(WarmBubblewrapSandbox()) as sandbox:
        yield sandbox


def taken(empties: PrewarmedSandboxes, needs: Needs) -> PrewarmedSandbox:
    """The next one that was made ahead, waited for."""
    until = time.monotonic() + 60.0
    while (ready := empties.take(needs)) is None:
        assert time.monotonic() < until
        time.sleep(0.01)
    return ready


def test_what_is_asked_for_once_is_not_made_ahead(empties: PrewarmedSandboxes) -> None:
    for mebibytes in range(1, 9):
        limits = Limits(disk_bytes=mebibytes * 1024**2)
        assert empties.take(Needs(limits, has_broker=False)) is None
    time.sleep(0.1)
    assert not groups(LABEL)


def test_each_is_handed_out_once(empties: PrewarmedSandboxes) -> None:
    ready = [taken(empties, PLAIN) for _ in range(12)]
    assert len({each.process.pid for each in ready}) == 12
    for each in ready:
        assert each.is_alive()
        empties.discard(each)


@pytest.mark.skipif(not places(), reason="this host lets us make no control groups")
def test_no_more_are_ready_than_were_allowed(empties: PrewarmedSandboxes) -> None:
    for _ in range(20):
        if (each := empties.take(PLAIN)) is not None:
            empties.discard(each)
    wait_until_ready(2)


def wait_until_ready(count: int) -> None:
    until = time.monotonic() + 60.0
    while len(groups(LABEL)) != count * len(places()):
        assert time.monotonic() < until, groups(LABEL)
        time.sleep(0.01)


@pytest.mark.skipif(not places(), reason="this host lets us make no control groups")
async def test_those_that_were_killed_are_not_handed_out(warm: Sandbox) -> None:
    for _ in range(8):
        async with warm.start(job(label=LABEL)):
            pass
        for group in groups(LABEL):
            kill_all(group)
        await anyio.sleep(0.1)  # the template tells of each end
    async with warm.start(job(label=LABEL)) as running:
        assert (await running.request(ASK, 20.0))["prediction"] == "1"


def kill_all(group: Path) -> None:
    with suppress(OSError):  # it has ended
        for pid in (group / "cgroup.procs").read_text().split():
            os.kill(int(pid), signal.SIGKILL)


def test_after_closing_nothing_is_made_and_what_is_out_can_still_be_removed() -> None:
    empties = PrewarmedSandboxes(WarmTemplate(LABEL), LABEL, most=2)
    out = taken(empties, PLAIN)
    empties.close()
    empties.discard(out)
    empties.close()
    assert not groups(LABEL)


@pytest.mark.skipif(not places(), reason="this host lets us make no control groups")
def test_there_are_few_however_different_the_jobs_are(empties: PrewarmedSandboxes) -> None:
    for mebibytes in range(1, 9):
        needs = Needs(Limits(disk_bytes=mebibytes * 1024**2), has_broker=False)
        empties.discard(taken(empties, needs))
        taken(empties, needs).close()
    wait_until_ready(2 * MOST_SHARES)
    for mebibytes in range(9, 40):
        needs = Needs(Limits(disk_bytes=mebibytes * 1024**2), has_broker=False)
        for ready in (empties.take(needs), empties.take(needs)):
            if ready is not None:
                empties.discard(ready)
    wait_until_ready(2 * MOST_SHARES)
    until = time.monotonic() + 60.0
    while groups(LABEL):  # what was still being made when it rested is ready then
        assert time.monotonic() < until, groups(LABEL)
        empties.rest()
        time.sleep(0.01)


def test_a_fork_of_ours_has_none_ready_and_takes_none_with_it(empties: PrewarmedSandboxes) -> None:
    out = taken(empties, PLAIN)
    child = os.fork()
    if child == 0:
        got = [empties.take(PLAIN) for _ in range(3)]
        empties.close()
        os._exit(got != [None] * 3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    following = taken(empties, PLAIN)
    assert out.is_alive() and following.is_alive()
    for each in (out, following):
        empties.discard(each)


@pytest.mark.long
def test_it_closes_though_another_process_holds_what_we_hold(empties: PrewarmedSandboxes) -> None:
    empties.discard(taken(empties, PLAIN))
    wait_until_ready(2)
    child = os.fork()
    if child == 0:
        time.sleep(60)
        os._exit(0)
    begun = time.monotonic()
    empties.close()
    took = time.monotonic() - begun
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert took < 10.0 and not groups(LABEL)


def test_what_is_dropped_without_being_closed_leaves_nothing() -> None:
    async def use(sandbox: Sandbox) -> None:
        for _ in range(4):
            async with sandbox.start(job(label=LABEL)):
                pass

    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    for _ in range(5):
        sandbox = WarmBubblewrapSandbox()
        anyio.run(use, sandbox)
        del sandbox
        gc.collect()
        assert not groups(LABEL)
    assert len(os.listdir("/proc/self/fd")) <= before  # noqa: PTH208


def test_it_goes_on_in_a_thread_when_the_main_one_has_ended() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LATE_THREAD.format(label=LABEL)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.stdout.split() == ["1"] * 6, done.stderr
    assert not groups(LABEL)


@pytest.mark.long
async def test_a_start_can_be_cancelled_while_the_template_does_not_answer() -> None:
    with closing(WarmBubblewrapSandbox(ready=0)) as warm:
        before = descendants(os.getpid())
        async with warm.start(job(label=LABEL)):
            template = descendants(os.getpid()) - before
        for pid in template:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
        begun = time.monotonic()
        with anyio.move_on_after(0.2) as scope:
            async with warm.start(job(label=LABEL)):
                pass
        assert scope.cancelled_caught and time.monotonic() - begun < 5.0
    assert not groups(LABEL) and not left_after(60.0, template)


async def test_a_native_cancellation_leaves_nothing() -> None:
    async def once(warm: Sandbox) -> None:
        async with warm.start(job(label=LABEL)):
            await anyio.sleep_forever()

    with closing(WarmBubblewrapSandbox(ready=1)) as warm:
        for delay_ms in range(0, 24, 2):
            task = asyncio.create_task(once(warm))
            await anyio.sleep(delay_ms / 1000)
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
    assert not groups(LABEL)


@pytest.mark.long
async def test_while_the_template_is_killed_again_and_again_jobs_are_lost_and_never_fail(
    warm: Sandbox,
) -> None:
    seen, pause_s = Counter[str](), 0.3

    def is_over() -> bool:
        return pause_s > 60 or bool(seen["fine"] and seen["lost"])

    async def work() -> None:
        while not is_over():
            with GreetingBroker() as broker:
                try:
                    async with warm.start(Job("worker", job().files, broker, label=LABEL)):
                        seen["fine"] += 1
                except SandboxLost:
                    seen["lost"] += 1

    async with anyio.create_task_group() as tasks:
        for _ in range(4):
            tasks.start_soon(work)
        while not is_over():
            await anyio.sleep(pause_s)
            kill_marked(marker(LABEL))
            pause_s *= 1.3  # a start takes longer than the first ones on a busy machine
    assert seen["fine"]
    assert seen["lost"]


async def test_what_is_killed_before_it_has_booted_is_lost_and_no_failure(warm: Sandbox) -> None:
    lost = 0
    for _ in range(20):
        try:
            async with warm.start(job(label=LABEL)):
                pass
        except SandboxLost:
            lost += 1
        for group in groups(LABEL):
            kill_all(group)
    assert lost < 20


async def test_a_job_gets_the_bounds_that_it_asked_for(warm: Sandbox) -> None:
    sizes = [2 * 1024**2, 3 * 1024**2] * 4
    for size in sizes:
        wanted = job(task=task_agent(ROOM), limits=Limits(disk_bytes=size))
        async with warm.start(wanted) as running:
            assert (await running.request(ASK, 20.0))["prediction"] == str(size)


async def test_each_reaches_the_broker_of_its_own_job(warm: Sandbox) -> None:
    files = job(task=task_agent(GREETED)).files
    for name in ["a", "b", "c", "d", "e", "f"]:
        with GreetingBroker(name) as broker:
            async with warm.start(Job("worker", files, broker, label=LABEL)) as running:
                assert (await running.request(ASK, 20.0))["prediction"] == name
