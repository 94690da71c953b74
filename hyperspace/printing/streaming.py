"""Events as JSON lines on standard output: how a run that is part of a set tells the set.

When nobody reads them any more the run ends, as at a broken pipe: whoever started it has gone.
"""

import sys
from collections.abc import Generator
from contextlib import contextmanager

import msgspec

from evolution.events import Event, Observer


@contextmanager
def streaming() -> Generator[Observer]:
    """Tell events while the context lasts."""
    encoder = msgspec.json.Encoder()

    def observe(event: Event) -> None:
        sys.stdout.write(encoder.encode(event).decode() + "\n")
        sys.stdout.flush()

    yield observe
