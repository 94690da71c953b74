"""An environment for a child process: it counts, and dies as its inputs and actions say."""

import os
import signal
import sys
import time
from typing import Any

from hyperspace.tasks.shapes.outcome import Outcome


class CountingGame:
    """Adds numbers; `abort_at` names the step at which it takes its process down."""

    def __init__(self, inputs: dict[str, Any]) -> None:
        if inputs.get("broken"):
            raise RuntimeError("no\nlevel")
        self.inputs = inputs
        self.total = 0
        self.steps = 0

    def observe(self) -> dict[str, Any] | None:
        if self.total >= 100:
            return None
        return {"total": self.total, "environment": sorted(os.environ), "pid": os.getpid()}

    def act(self, action: str) -> None:
        self.steps += 1
        print("chatter of a library", flush=True)
        os.write(1, b"and of its C part\n")
        if self.steps == self.inputs.get("abort_at"):
            os.abort()
        if action == "exit":
            sys.exit(3)
        if action == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if action == "sleep":
            time.sleep(60)
        if action == "raise":
            raise ValueError("a bad\nday")
        self.total += int(action) if action.isdecimal() else 0

    def outcome(self) -> Outcome:
        return Outcome(self.total / 100, f"{self.steps} steps", details={"steps": self.steps})

    def draw(self) -> str:
        return "#" * self.total

    def close(self) -> None:
        self.total = 0


def make(inputs: dict[str, Any]) -> CountingGame:
    return CountingGame(inputs)
