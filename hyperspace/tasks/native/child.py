"""The process that holds environments: `python -m hyperspace.tasks.native.child MODULE:FUNCTION`.

The function is the project's own; it makes an `Episode` of an item's inputs. Requests come as JSON
lines on standard input, each a list `[operation, episode, argument]`; every request has one
answer, a JSON object on the standard output that the process was started with. What libraries
print goes to standard error.

Operations: `open` (argument: inputs), `act` (argument: the action), `draw`, `close`. The answer to
the first two holds `observation` and `outcome`, that to `draw` holds `drawing`; an exception is
answered with `error`, one line.
"""

import ctypes
import importlib
import json
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any, TextIO

import msgspec

from hyperspace.tasks.shapes.interactive import Episode

Make = Callable[[dict[str, Any]], Episode]
_SET_PARENT_DEATH_SIGNAL = 1


def main(factory: str) -> None:
    """Serve requests until standard input ends."""
    _die_with_parent()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers = _take_stdout()
    module, _, function = factory.partition(":")
    make: Make = getattr(importlib.import_module(module), function)
    for answer in serve(make, sys.stdin):
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def serve(make: Make, requests: TextIO) -> Iterator[dict[str, Any]]:
    """Yield the answer to each request."""
    episodes: dict[int, Episode] = {}
    for line in requests:
        operation, number, argument = json.loads(line)
        try:
            yield _answer(make, episodes, operation, number, argument)
        except Exception as error:  # an environment may fail in any way; that is data of its item
            yield {"error": " ".join(f"{type(error).__name__}: {error}".split())[:250]}


def _answer(
    make: Make, episodes: dict[int, Episode], operation: str, number: int, argument: Any
) -> dict[str, Any]:
    if operation == "close":
        if number in episodes:
            episodes.pop(number).close()
        return {}
    if operation == "open":
        episodes[number] = make(argument)
    episode = episodes[number]
    if operation == "draw":
        return {"drawing": episode.draw()}
    if operation == "act":
        episode.act(argument)
    return {
        "observation": episode.observe(),
        "outcome": msgspec.to_builtins(episode.outcome()),
    }


def _die_with_parent() -> None:
    """Ask the kernel for a kill once the thread that started this process has ended."""
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    if os.getppid() == 1:  # it died before the call
        os._exit(1)


def _take_stdout() -> TextIO:
    """Keep standard output for answers; what else is written to it goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)
    return answers


if __name__ == "__main__":
    main(sys.argv[1])
