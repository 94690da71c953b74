"""JSON on standard output: one object, or a line for each event of a run."""

import json
import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import msgspec

from hyperspace.cli.printing.terminal import results
from hyperspace.kernel.events import Event, Observer


def print_json(record: Any, *, indent: int = 0) -> None:
    """Print a record as one JSON object, on one line unless it is indented."""
    try:
        text = msgspec.json.encode(record)
    except UnicodeEncodeError:  # it has a path that is no UTF-8: Python reads it back as it is
        text = json.dumps(msgspec.to_builtins(record), separators=(",", ":")).encode()
    results().write((msgspec.json.format(text, indent=indent) if indent else text).decode() + "\n")


def print_ascii(record: Any) -> None:
    """Print a record as one line of JSON in ASCII: a terminal obeys some characters above it."""
    line = json.dumps(msgspec.to_builtins(record), separators=(",", ":"))
    print(line, file=results(), flush=True)


def tell_line(line: str) -> None:
    """Tell a person a line while something goes on; standard output is for results."""
    print(line, file=sys.stderr, flush=True)


@contextmanager
def streaming() -> Generator[Observer]:
    """Tell events while the context lasts: so a run that is part of a set tells the set.

    When nobody reads them any more the run ends, as at a broken pipe: whoever started it has gone.
    """

    def observe(event: Event) -> None:
        print_json(event)
        results().flush()

    yield observe
