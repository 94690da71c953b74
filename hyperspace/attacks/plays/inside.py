"""Attacks that act from within: each returns a word if it got through and raises if it did not."""

import os
import re
import signal
from collections.abc import Mapping
from contextlib import suppress

import anyio
import msgspec

from guards.sandboxes.sandbox import Job, Limits, Sandbox, SandboxEnded
from hyperspace.attacks.attack import GOT_THROUGH, AttackScene, unclear
from hyperspace.attacks.target import alive
from hyperspace.attacks.workspace import LIMITS, predict_frame, with_task_agent

START_S, LOOK_S = 5.0, 0.01
REFUSED = (
    "PermissionError|FileNotFoundError|ProcessLookupError|OSError|AssertionError|gaierror|"
    "CalledProcessError|NotADirectoryError|ConnectionRefusedError|BlockingIOError"
)


class Inside(msgspec.Struct, frozen=True):
    """Tries to reach or use something.

    Attributes:
        code: Body of a task agent's `forward`; `i` holds the target's facts. It returns a word when
            nothing holds it back.
        refused: Pattern of what it runs into: its error, or the way in which its sandbox ended.
        limits: Bounds of its sandbox.
        expected: The verdict when it is refused.
    """

    code: str
    refused: str = REFUSED
    limits: Limits = LIMITS
    expected: str = "refused"

    async def play(self, scene: AttackScene) -> str:
        """Run it and see whether it comes back with a word."""
        job = Job("worker", with_task_agent(self.code), None, scene.bounded(self.limits))
        verdict = await ask(scene.sandbox, job, scene.target.facts, self.refused)
        return verdict or self.expected


class Ends(Inside, frozen=True):
    """Tries to use up something, or to stay for longer than it may."""

    expected: str = "bounded"


async def ask(sandbox: Sandbox, job: Job, inputs: Mapping[str, object], refused: str) -> str:
    """Ask a worker for one prediction.

    Returns:
        The verdict; empty if it ran into what an attack is to run into.
    """
    async with sandbox.start(job) as running:
        try:
            reply = await running.request(predict_frame("1", inputs), 30.0)
        except SandboxEnded as ended:
            reply = {"error": str(ended)}
    if "prediction" in reply:
        return GOT_THROUGH
    error = str(reply.get("error"))
    return "" if re.match(refused, error) else unclear(error)


class Stays(msgspec.Struct, frozen=True):
    """Tries to leave a process behind.

    Attributes:
        code: Body of a task agent's `forward`; it gives what stays the name `i["mark"]`, which
            `name()` does, and lets it live for three seconds.
        expected: The verdict when all of it ends.
    """

    code: str
    expected: str = "ended"

    async def play(self, scene: AttackScene) -> str:
        """Run it and look for what is left on the host."""
        mark = f"hs{id(scene):x}{id(self):x}"[-15:]
        files = with_task_agent(self.code, NAMING)
        job = Job("worker", files, None, scene.bounded(LIMITS))
        started = False
        async with scene.sandbox.start(job) as running, anyio.create_task_group() as group:

            async def ask() -> None:
                with suppress(SandboxEnded):
                    await running.request(predict_frame("1", {"mark": mark}), 20.0)

            group.start_soon(ask)
            with anyio.move_on_after(START_S):
                while not (started := bool(alive(mark))):  # noqa: ASYNC110 -- the kernel's to say
                    await anyio.sleep(LOOK_S)
        left = alive(mark)
        for pid in left:  # it would end by itself, but later
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if left:
            return GOT_THROUGH
        return "ended" if started else unclear("nothing was started")


NAMING = """
import os, signal, subprocess, time


def name(mark):
    with open("/proc/self/comm", "w") as file:
        file.write(mark)
"""
