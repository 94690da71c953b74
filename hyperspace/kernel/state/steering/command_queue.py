"""What took effect of the principal's wishes, agent by agent and look by look.

A look writes down what it takes, in a small commit of its own, before anything follows from it: a
run that is killed in between finds there what it took. In a replay the record says what it was.
"""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import NamedTuple

import anyio

from hyperspace.kernel.state.manifest import TEST
from hyperspace.kernel.state.mark_writer import MarkWriter
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.kernel.state.steering.marks import SteeringMarks, WrittenSteering, asked_in, awaited
from hyperspace.kernel.state.steering.records import (
    AnswerNeed,
    ForkAgent,
    GiveUp,
    PinParent,
    Place,
    SayTo,
    SetQuota,
    Steering,
    StopAgent,
    TakenSteering,
    concerns,
)


class Standing(NamedTuple):
    """What holds for an agent now.

    Attributes:
        is_stopped: Whether it plays no further generation.
        pinned: The generation that its next ones are forked from; None where the rule decides.
        quota: What it may take in all; None where nothing was set.
    """

    is_stopped: bool = False
    pinned: int | None = None
    quota: SetQuota | None = None


class CommandQueue:
    """Takes the principal's marks at each agent's looks."""

    def __init__(self, marks: RunMarks, writer: MarkWriter) -> None:
        self.read = SteeringMarks(marks)
        self._marks = marks
        self._writer = writer
        self._taken: dict[str, dict[Place, list[Steering]]] = {}
        self._done: dict[str, set[str]] = {}
        self._under_way: dict[tuple[str, int], anyio.CancelScope] = {}
        self.read.refresh()
        by_id = {written.id: written.steering for written in self.read.written}
        for look in self.read.taken:
            self._done.setdefault(look.agent, set()).update(look.marks)
            self.take(look.agent, look.generation, (by_id[name] for name in look.marks))

    def look(self, agent: str, generation: Place) -> tuple[Steering, ...]:
        """Take what an agent has not taken yet; returns it in the order in which it was written.

        Where the generation is given up, all else waits for the next one, which is made.
        """
        self.read.refresh()
        pending = self._pending(agent, generation)
        given_up = self._given_up_in(pending)
        if given_up or (generation != TEST and self.is_given_up(agent, int(generation))):
            pending = given_up
        return self._take_pending(agent, generation, pending)

    @contextmanager
    def under_way(self, agent: str, generation: int) -> Generator[anyio.CancelScope]:
        """Let a generation be given up while the context lasts, or until it is `settled`.

        The scope that is yielded is cancelled then; that it was given up is on record before.
        """
        with anyio.CancelScope() as scope:
            self._under_way[agent, generation] = scope
            try:
                yield scope
            finally:
                self._under_way.pop((agent, generation), None)

    def settled(self, agent: str, generation: int) -> None:
        """A generation is about to be closed, and can be given up no more."""
        self._under_way.pop((agent, generation), None)

    def end_given_up(self) -> list[GiveUp]:
        """End the generations under way that the principal gives up; returns the wishes."""
        if not self._under_way:
            return []
        self.read.refresh()
        ended = list[GiveUp]()
        for (agent, generation), scope in list(self._under_way.items()):
            wishes = self._given_up_in(self._pending(agent, generation))
            if not wishes:
                continue
            self._take_pending(agent, generation, wishes)
            self.settled(agent, generation)
            scope.cancel()
            ended.append(GiveUp(agent=agent, generation=generation))
        return ended

    def is_given_up(self, agent: str, generation: int) -> bool:
        """Return whether a generation is closed without being made, by all that was taken."""
        return GiveUp(agent=agent, generation=generation) in self.taken(agent, generation)

    @staticmethod
    def _given_up_in(pending: list[WrittenSteering]) -> list[WrittenSteering]:
        """Return the wish that gives a generation up, if there is one; another one adds nothing."""
        return [each for each in pending if isinstance(each.steering, GiveUp)][:1]

    def _take_pending(
        self, agent: str, generation: Place, pending: list[WrittenSteering]
    ) -> tuple[Steering, ...]:
        """Put on record what takes effect at a place, and let it."""
        if not pending:
            return ()
        ids = tuple(written.id for written in pending)
        self._writer.record_look(TakenSteering(agent, generation, ids))
        self._done.setdefault(agent, set()).update(ids)
        steering = tuple(written.steering for written in pending)
        self.take(agent, generation, steering)
        return steering

    def take(self, agent: str, generation: Place, steering: Iterable[Steering]) -> None:
        """Let something take effect that is on record."""
        looks = self._taken.setdefault(agent, {})
        looks.setdefault(generation, []).extend(steering)

    def taken(self, agent: str, generation: Place) -> tuple[Steering, ...]:
        """What an agent took at its looks before a generation."""
        return tuple(self._taken.get(agent, {}).get(generation, ()))

    def taken_last(self, agent: str, closed: int) -> tuple[Steering, ...]:
        """What an agent took that none of its generations has on record.

        Args:
            agent: Who.
            closed: How many of its generations are closed.
        """
        looks = self._taken.get(agent, {})
        return tuple(
            steering
            for before, taken in looks.items()
            if before == TEST or int(before) >= closed
            for steering in taken
        )

    def standing(self, agent: str) -> Standing:
        """What holds for an agent, by all that it took."""
        standing = Standing()
        for steering in (each for taken in self._taken.get(agent, {}).values() for each in taken):
            match steering:
                case StopAgent():
                    standing = standing._replace(is_stopped=True)
                case PinParent():
                    standing = standing._replace(pinned=steering.generation)
                case SetQuota():
                    standing = standing._replace(quota=steering.after(standing.quota))
                case _:
                    pass
        return standing

    def forks(self, agent: str) -> tuple[ForkAgent, ...]:
        """The agents that were forked from one, by all that it took."""
        taken = self._taken.get(agent, {}).values()
        return tuple(each for look in taken for each in look if isinstance(each, ForkAgent))

    def messages(self, agent: str, generation: Place) -> tuple[SayTo | AnswerNeed, ...]:
        """What an agent is told in the workspace of a generation."""
        taken = self.taken(agent, generation)
        return tuple(each for each in taken if isinstance(each, SayTo | AnswerNeed))

    def _pending(self, agent: str, generation: Place) -> list[WrittenSteering]:
        done = self._done.setdefault(agent, set())
        pending: list[WrittenSteering] = []
        since, is_waiting = self.read.joined_at(agent), False
        for written in self.read.written:
            is_due = written.sequence > since and concerns(written.steering, agent)
            if written.id in done or not is_due:
                continue
            wish = written.steering
            if isinstance(wish, GiveUp):
                if wish.generation == generation and wish not in self.taken(agent, generation):
                    pending.append(written)  # another one was closed before
                continue
            if not isinstance(wish, SetQuota):  # one that is reached lets nothing be ended
                # A killed attempt ends as it was begun; and no wish overtakes another.
                is_waiting = is_waiting or written.during.get(agent) == generation
                if is_waiting:
                    continue
            if isinstance(wish, AnswerNeed):
                origin = asked_in(self._marks, wish)
                if origin is not None and origin.generation == generation:
                    continue  # a killed attempt goes on, and may be waiting for the answer
                if awaited(self._marks, wish) is not None:
                    done.add(written.id)
                    continue
            pending.append(written)
        return pending
