"""Where a state machine keeps its space: fresh each time, and perhaps closed and reopened."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from markspace.stores.base import Store
from markspace.stores.memory import MemoryStore
from markspace.stores.sqlite import SQLiteStore


class Place:
    """A store in memory: what is closed is gone."""

    durable = False

    def open(self) -> Store:
        """Open the store, anew if it was closed."""
        return MemoryStore()

    def remove(self) -> None:
        """Leave nothing behind."""


class FilePlace(Place):
    """A SQLite file."""

    durable = True

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()

    def open(self) -> Store:
        """Open the file."""
        return SQLiteStore(Path(self._folder.name) / "space.db")

    def remove(self) -> None:
        """Remove the file."""
        self._folder.cleanup()


class ServerPlace(Place):
    """A space of its own on a PostgreSQL server."""

    durable = True

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._space = f"m{uuid4().hex}"

    def open(self) -> Store:
        """Connect to the space."""
        from markspace.stores.postgres import PostgresStore

        return PostgresStore(self._dsn, self._space)


MakePlace = Callable[[], Place]


def run_machine(machine: Callable[[Place], RuleBasedStateMachine], make_place: MakePlace) -> None:
    """Run a state machine on fresh places; fewer examples where opening one takes long."""
    quick = settings(
        max_examples=150 if make_place is Place else 40,
        stateful_step_count=30,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    # Any factory does, as its documentation says.
    run_state_machine_as_test(
        lambda: machine(make_place()),  # pyright: ignore[reportArgumentType]
        settings=quick,
    )
