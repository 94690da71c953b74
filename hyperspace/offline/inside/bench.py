"""Runs task agents on labelled items and says what an answer costs, whatever the task is.

A helper: it stands before a program in the text that is sent. An answer that equals its label costs
nothing. Where both are numbers, the further the answer is off the more it costs, up to what a wrong
word costs; code that fails costs most. How many steps an answer takes is bounded, by count and not
by a clock, so that equal orders give equal results.
"""

import contextlib
import io
import json
import math
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

WRONG = 1.0
FAILED = 1.25
MOST_STEPS = 1_000_000  # of the interpreter, for one answer
FILE = "task_agent.py"


class TooLong(BaseException):
    """An answer took too many steps."""


class Bounded:
    """Counts the interpreter's steps while its context is open: one line may loop forever.

    `ran` has the names of the agent's code that was called.
    """

    def __init__(self) -> None:
        self.steps = 0
        self.ran: set[str] = set()

    def __enter__(self) -> "Bounded":
        sys.settrace(self.trace)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def trace(self, frame: FrameType, event: str, _argument: object) -> Any:
        """Count one step."""
        if event == "call":
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
            if frame.f_code.co_filename == FILE:
                self.ran.add(frame.f_code.co_qualname)
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise TooLong
        return self.trace


def read_items(path: str) -> list[dict[str, Any]]:
    """Read labelled items, one JSON object a line."""
    return [json.loads(line) for line in Path(path).read_bytes().splitlines() if line.strip()]


def labels_of(items: list[dict[str, Any]], most: int = 12) -> tuple[str, ...]:
    """The labels, in order, if there are few and they are no numbers; else nothing."""
    labels = sorted({str(item["label"]).strip().lower() for item in items})
    if len(labels) > most or any(number(label) is not None for label in labels):
        return ()
    return tuple(labels)


def number(text: str) -> float | None:
    """A finite number, or None."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def cost(prediction: object, label: str, scale: float) -> float:
    """What one answer costs, in [0, FAILED]; `scale` is an error as bad as a wrong word."""
    if not isinstance(prediction, str):
        return FAILED
    if prediction.strip().lower() == label.strip().lower():
        return 0.0
    given, wanted = number(prediction), number(label)
    if given is None or wanted is None:
        return WRONG
    return WRONG * min(abs(given - wanted) / scale, 1.0)


def scale_of(items: list[dict[str, Any]]) -> float:
    """How far apart labels that are numbers lie; 1 if there are none or all are one."""
    numbers = [n for item in items if (n := number(str(item["label"]))) is not None]
    return max(numbers, default=0.0) - min(numbers, default=0.0) or 1.0


def answer(agent: Any, item: dict[str, Any], bounded: Bounded) -> object:
    """What an agent answers within bounds; None if it fails.

    Raises:
        TooLong: It takes too many steps.
    """
    try:
        with bounded:
            return agent.forward(dict(item["inputs"]))[0]
    except Exception:  # an agent's own code may fail in any way
        return None


class Loaded(NamedTuple):
    """A task agent, its source compiled, and the names of the code that ran to make it."""

    agent: Any
    code: CodeType
    ran: frozenset[str]


def load(source: str) -> Loaded | None:
    """Make the task agent of a source; None if it does not even load."""
    space: dict[str, Any] = {"__name__": "task_agent"}
    try:
        with Bounded() as bounded:
            code = compile(source, FILE, "exec")
            exec(code, space)  # noqa: S102 - its own sandbox
            agent = space["TaskAgent"]("offline")
    except (Exception, TooLong):  # as above
        return None
    return Loaded(agent, code, frozenset(bounded.ran))


def asks_model(source: str) -> bool:
    """Whether a source imports the agent runtime, which is how it reaches a model."""
    return re.search(r"^\s*(?:from|import)\s+agent\b", source, re.MULTILINE) is not None


def run(work: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Carry out the order of the command line; what agents print is dropped."""
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            result = work(json.loads(sys.argv[1]))
        except (OSError, SyntaxError, ValueError, KeyError, RecursionError) as error:
            result = {"status": "failed", "error": f"{type(error).__name__}: {error}"}
    sys.stdout.write(f"RESULT {json.dumps(result)}\n")
