"""Time travel: a space as it was right after one of its marks was written."""

from markspace.core.agents import Agent
from markspace.core.scopes import Scope
from markspace.keeping.foundation import Foundation, Who
from markspace.keeping.readable import Readable
from markspace.keeping.reading import SpaceView
from markspace.stores.base import Reader


class PastSpace(Readable):
    """A space as it was, archived marks included. It can be read, not written.

    Strengths are those of that time. Scopes are as they are defined now.

    Args:
        space: The space.
        sequence: The last mark that counts.
        time: The time at which strengths are computed.

    Attributes:
        sequence: The last mark that counts.
    """

    def __init__(self, space: Foundation, sequence: int, time: float) -> None:
        self.store = space.store
        self.decoder = space.decoder
        self.sequence = sequence
        self._space = space
        self._time = time

    def now(self) -> float:
        """Return the time of the last mark that counts."""
        return self._time

    def get_scope(self, scope_name: str) -> Scope:
        """Return the scope, or the nearest registered one above it."""
        return self._space.get_scope(scope_name)

    def scope_names(self) -> list[str]:
        """Return the names of the registered scopes."""
        return self._space.scope_names()

    def view(self, reader: Reader) -> SpaceView:
        """Return the state at that time."""
        return SpaceView(reader, self.decoder, self.get_scope, self._time, self.sequence)

    def eyes(self, reader: Who | None) -> Agent | None:
        """Return whose eyes to look with; None is infrastructure."""
        return self._space.eyes(reader)
