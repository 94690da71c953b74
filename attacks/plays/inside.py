"""Attacks that act from within: each returns a word if it got through and raises if it did not."""

import os
import re
import signal
from contextlib import suppress

import anyio
import msgspec

from attacks.attack import GOT_THROUGH, AttackScene, unclear
from attacks.target import alive
from attacks.workspace import LIMITS, predict_frame, with_task_agent
from guards.sandboxes.sandbox import Job, Limits, SandboxEnded

START_S, LOOK_S = 5.0, 0.01
REFUSED = (
    "PermissionError|FileNotFoundError|ProcessLookupError|OSError|AssertionError|gaierror|"
    "CalledProcessError|NotADirectoryError|ConnectionRefusedError|BlockingIOError"
)


class Inside(msgspec.Struct, frozen=True):
    """Tries to reach or use something.

    Attributes:
        code: Body of a task agent's `forward`; `i` holds the target's facts.
        refused: Pattern of what it runs into.
        limits: Bounds of its sandbox.
    """

    code: str
    refused: str = REFUSED
    limits: Limits = LIMITS

    @property
    def expected(self) -> str:
        """It is refused."""
        return "refused"

    async def play(self, scene: AttackScene) -> str:
        """Run it and see whether it comes back with a word."""
        job = Job("worker", with_task_agent(self.code), None, scene.bounded(self.limits))
        async with scene.sandbox.start(job) as running:
            try:
                reply = await running.request(predict_frame("1", scene.target.facts), 30.0)
            except SandboxEnded as ended:
                return unclear(ended)
        if "prediction" in reply:
            return GOT_THROUGH
        error = str(reply.get("error"))
        return "refused" if re.match(self.refused, error) else unclear(error)


class Ends(msgspec.Struct, frozen=True):
    """Tries to use up something, or to stay for longer than it may.

    Attributes:
        code: Body of a task agent's `forward`; it returns `through` when nothing held it back.
        how: Pattern of its error, or of the way in which its sandbox ended.
        limits: Bounds of its sandbox.
    """

    code: str
    how: str
    limits: Limits = LIMITS

    @property
    def expected(self) -> str:
        """A bound holds it."""
        return "bounded"

    async def play(self, scene: AttackScene) -> str:
        """Run it and see how it ended."""
        job = Job("worker", with_task_agent(self.code), None, scene.bounded(self.limits))
        async with scene.sandbox.start(job) as running:
            try:
                reply = await running.request(predict_frame("1", scene.target.facts), 30.0)
                outcome = str(reply.get("error") or reply.get("prediction"))
            except SandboxEnded as ended:
                outcome = str(ended)
        if outcome == "through":
            return GOT_THROUGH
        return "bounded" if re.match(self.how, outcome) else unclear(outcome)


class Stays(msgspec.Struct, frozen=True):
    """Tries to leave a process behind.

    Attributes:
        code: Body of a task agent's `forward`; it gives what stays the name `i["mark"]`, which
            `name()` does, and lets it live for three seconds.
    """

    code: str

    @property
    def expected(self) -> str:
        """All of it ends."""
        return "ended"

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
