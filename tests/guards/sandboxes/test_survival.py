"""What is left when a coordinator is killed: no process, and after a sweep no file."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from guards.sandboxes.own_folder import own_folder
from guards.sandboxes.sandbox import Sandbox
from guards.sandboxes.sweep import marker
from tests.support.paths import ROOT
from tests.support.processes import descendants, groups, left_after
from tests.support.sandboxes import EVERY_SANDBOX

SWEPT_BY_PROCESS = [case for case in EVERY_SANDBOX if case.id != "docker"]
COORDINATOR = """
import anyio, sys
from guards.sandboxes.bubblewrap.bubblewrap import BubblewrapSandbox
from guards.sandboxes.docker.container import DockerSandbox
from guards.sandboxes.process import ProcessSandbox
from guards.sandboxes.bubblewrap.warm import WarmBubblewrapSandbox
from tests.support.sandboxes import job, task_agent

task = task_agent('''import os
os.setsid()
os.system("setsid sleep {seconds} &")
open("up", "w")
os.system("sleep {seconds}")''')

async def main():
    async with {kind}().start(job(task=task, label="{label}")) as running:
        async with anyio.create_task_group() as group:
            ask = {{"op": "predict", "id": "1", "inputs": {{}}, "model": "m"}}
            group.start_soon(running.request, ask, 60.0)
            with anyio.fail_after(60):
              while not (running.workspace / "up").exists():
                  await anyio.sleep(0.02)
            print("up", flush=True)

anyio.run(main)
"""


@pytest.mark.long
@pytest.mark.parametrize("sandbox", EVERY_SANDBOX)
def test_sigkill_of_the_coordinator_leaves_nothing_that_a_sweep_cannot_remove(
    sandbox: Sandbox,
) -> None:
    kind = type(sandbox).__name__
    label, seconds = f"survival-{os.getpid()}-{kind}", f"710.{os.getpid()}"
    source = COORDINATOR.format(kind=kind, label=label, seconds=seconds)
    command = [sys.executable, "-c", source]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE) as host:
        assert host.stdout and host.stdout.readline() == b"up\n"
        assert both_sleep_within(60.0, seconds)
        begun = descendants(host.pid)
        host.send_signal(signal.SIGKILL)
    if sandbox.name == "process":  # what left the process group is found by its label
        sandbox.sweep(label)
    assert gone_within(60.0, seconds)
    assert not left_after(60.0, begun)
    sandbox.sweep(label)
    assert not list(own_folder().glob(f"{marker(label)}*"))
    assert not groups(label)


@pytest.mark.parametrize("sandbox", SWEPT_BY_PROCESS)
def test_a_sweep_leaves_other_labels_alone(sandbox: Sandbox) -> None:
    label = f"other-{os.getpid()}"
    environment = {"HYPERSPACE_SANDBOX": marker(label)}
    with subprocess.Popen(["sleep", "60"], env=environment) as process:
        # The kernel shows the environment of a new program a little after it lets it begin.
        while marker(label).encode() not in Path(f"/proc/{process.pid}/environ").read_bytes():
            time.sleep(0.001)
        sandbox.sweep(f"{label}-2")
        assert process.poll() is None
        sandbox.sweep(label)
        assert process.wait(60.0) == -signal.SIGKILL


def both_sleep_within(seconds: float, command: str) -> bool:
    """The workspace says that it is up right before the second sleeper starts."""
    until = time.monotonic() + seconds
    while len(sleepers(command)) < 2 and time.monotonic() < until:
        time.sleep(0.02)
    return len(sleepers(command)) >= 2


def gone_within(seconds: float, command: str) -> bool:
    until = time.monotonic() + seconds
    while sleepers(command) and time.monotonic() < until:
        time.sleep(0.02)
    return not sleepers(command)


def sleepers(seconds: str) -> list[Path]:
    return [entry for entry in Path("/proc").glob("[0-9]*") if is_sleeping(entry, seconds)]


def is_sleeping(entry: Path, seconds: str) -> bool:
    try:
        return f"sleep\0{seconds}" in (entry / "cmdline").read_text()
    except OSError:
        return False
