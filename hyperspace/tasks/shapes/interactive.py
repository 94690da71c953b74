"""Tasks that are played: one task agent an episode, one call of `forward` a step."""

from typing import Any, Literal, Protocol, runtime_checkable

from hyperspace.tasks.base import Item
from hyperspace.tasks.shapes.outcome import Outcome


class Episode(Protocol):
    """One environment on the host; nothing of it but its observations gets to an agent."""

    def observe(self) -> dict[str, Any] | None:
        """What the agent is told before its next step, JSON values only; None once it is over."""
        ...

    def act(self, action: str) -> None:
        """Take one step.

        A malformed action is no error: it is counted, costs a step, and the domain's default
        action is taken. Never called once the episode is over.
        """
        ...

    def outcome(self) -> Outcome:
        """The finding as of now: code that crashes in the middle keeps what it has reached."""
        ...

    def draw(self) -> str:
        """Return the situation as text for a terminal."""
        ...

    def close(self) -> None:
        """Let go of what it holds; may be called twice."""
        ...


@runtime_checkable
class Interactive(Protocol):
    """A domain whose items are episodes.

    Contract: an episode depends on its item and on its actions alone, so that a record of actions
    can be played again.
    """

    def open(self, item: Item) -> Episode:
        """Make the environment of an item, seeded by the item.

        Raises:
            EpisodeFailed: It cannot be made or has died.
        """
        ...


@runtime_checkable
class Quick(Interactive, Protocol):
    """An interactive domain whose environments step in microseconds, whatever is done in them.

    A run takes their steps where its event loop is, which waits meanwhile: to change threads and
    back costs more. All others step in threads.
    """

    @property
    def steps_are_quick(self) -> Literal[True]:
        """Always true."""
        ...


class EpisodeFailed(Exception):
    """An environment died; `observe` and `act` may raise it too. It ends the item, not the run."""
