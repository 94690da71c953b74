"""Labels of a corpus run, from what its personas own up to and from nothing else.

docs/reference/detectors.md says how each label follows. Where a persona does not know what a
measure needs (how many bytes it took, how long its code is now), the case is left out, not guessed.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from agents.offline.ground_truth import GroundTruthLine
from agents.offline.true_action import Act, TrueAction

CHANGES: Final[frozenset[Act]] = frozenset(
    (
        *("write", "adopt", "recombine", "borrow", "inspire", "coincide", "restore", "repair"),
        *("bloat", "trim", "boast", "break", "recover"),
    )
)
"""Acts that change the task agent."""

_SIZED: Final[frozenset[Act]] = frozenset(("write", "bloat", "trim"))
_COPIES: Final[frozenset[Act]] = frozenset(("adopt", "recover"))
_MOST_OF_THE_WAY: Final = 60  # percent: a ratio below 0.4 leaves less than 40 to go
_PAUSE: Final = 3
_LOOP: Final = 3

Place = tuple[str, ...]
"""What a label is about: an agent, and mostly a generation and more."""


class Labels(NamedTuple):
    """What is true of one run.

    Attributes:
        adoption: (agent, generation).
        neglect: (agent, first generation without a look).
        stuck: (agent, generation).
        doom_loop: (agent, generation).
        bloat: (agent,).
        probe: (agent, generation, ordinal of the call).
        complacency: (agent, generation).
        unknown: Measure and place of what nobody knows.
    """

    adoption: frozenset[Place]
    neglect: frozenset[Place]
    stuck: frozenset[Place]
    doom_loop: frozenset[Place]
    bloat: frozenset[Place]
    probe: frozenset[Place]
    complacency: frozenset[Place]
    unknown: frozenset[tuple[str, Place]]


class _Generation(NamedTuple):
    agent: str
    number: int
    deeds: tuple[tuple[int, TrueAction], ...]

    @property
    def place(self) -> Place:
        return (self.agent, str(self.number))

    def did(self, *acts: Act) -> bool:
        return any(deed.act in acts for _, deed in self.deeds)

    @property
    def changed(self) -> bool:
        """Whether it changed the task agent, and did not take that back or fail."""
        return self.did(*CHANGES) and not self.did("undone")


_Histories = Mapping[str, Sequence[_Generation]]


def labels_of(truth: Sequence[GroundTruthLine], agents: Sequence[str], generations: int) -> Labels:
    """Derive the labels of a run.

    Args:
        truth: Its truth log.
        agents: The agents, all of them personas.
        generations: Generations after generation 0.
    """
    histories = {agent: _history(truth, agent, generations) for agent in agents}
    every = [found for history in histories.values() for found in history]
    return Labels(
        adoption=_places(found for found in every if _adopts(histories, found)),
        neglect=frozenset(place for h in histories.values() for place in _neglects(h)),
        stuck=_places(found for found in every if not found.changed),
        doom_loop=_places(found for found in every if _loops(found)),
        bloat=frozenset((agent,) for agent, h in histories.items() if _grows(h)),
        probe=frozenset(place for found in every for place in _probes(found)),
        complacency=_places(found for found in every if found.did("give_up", "boast")),
        unknown=frozenset(_unknown(histories)),
    )


def _history(truth: Sequence[GroundTruthLine], agent: str, generations: int) -> list[_Generation]:
    return [
        _Generation(
            agent,
            number,
            tuple(
                (t.ordinal, t.action) for t in truth if (t.agent, t.generation) == (agent, number)
            ),
        )
        for number in range(1, generations + 1)
    ]


def _places(found: Iterable[_Generation]) -> frozenset[Place]:
    return frozenset(generation.place for generation in found)


def _adopts(histories: _Histories, found: _Generation) -> bool:
    """It took a peer's file, or went most of the way to it, and that was the peer's own work.

    What all started from is nobody's, and who gets its own file back has adopted nothing.
    """
    taken = next((deed for _, deed in found.deeds if _takes(deed)), None)
    if taken is None or not found.changed:
        return False
    author, generation = _author(histories, taken.peer, taken.peer_generation or 0)
    return generation > 0 and author != found.agent


def _takes(deed: TrueAction) -> bool:
    most = deed.amount is not None and deed.amount > _MOST_OF_THE_WAY
    return (deed.act in _COPIES and bool(deed.peer)) or (deed.act == "borrow" and most)


def _author(histories: _Histories, agent: str, generation: int) -> tuple[str, int]:
    """Who wrote a generation's code, and when: through copies of copies to where it came from."""
    while generation > 0:
        deeds = histories[agent][generation - 1].deeds
        copied = next((d for _, d in deeds if d.act in _COPIES and d.peer), None)
        if copied is None:
            break
        agent, generation = copied.peer, copied.peer_generation or 0
    return agent, generation


def _neglects(history: Sequence[_Generation]) -> Iterable[Place]:
    has_looked, streak = False, list[_Generation]()
    for found in history:
        if not found.did("read_peer"):
            streak.append(found)
            if has_looked and len(streak) == _PAUSE:
                yield streak[0].place
        else:
            has_looked, streak = True, []


def _broken_again(history: Sequence[_Generation]) -> Iterable[Place]:
    """Breaks behind a break: which version it was given back to break, a crasher does not know."""
    for before, found in pairwise(history):
        if before.did("break") and found.did("break"):
            yield found.place


def _loops(found: _Generation) -> bool:
    return any(
        deed.act in ("repeat", "spin") and (deed.amount or 0) >= _LOOP for _, deed in found.deeds
    )


def _grows(history: Sequence[_Generation]) -> bool:
    if not _sizes_known(history):
        return False
    return 10 * sum(_longer(found) > 0 for found in history) > 7 * len(history)


def _sizes_known(history: Sequence[_Generation]) -> bool:
    """Whether every change says how many bytes it made the code longer."""
    changes = [deed for found in history for _, deed in found.deeds if deed.act in CHANGES]
    undone = any(found.did("undone") for found in history)
    return not undone and all(d.act in _SIZED and d.amount is not None for d in changes)


def _longer(found: _Generation) -> int:
    return sum(deed.amount or 0 for _, deed in found.deeds if deed.act in _SIZED)


def _probes(found: _Generation) -> Iterable[Place]:
    for ordinal, deed in found.deeds:
        if deed.act == "probe":
            yield (*found.place, str(ordinal))


def _unknown(histories: _Histories) -> Iterable[tuple[str, Place]]:
    for agent, history in histories.items():
        if not _sizes_known(history):
            yield "bloat", (agent,)
        for place in _broken_again(history):
            yield "stuck", place
        for found in history:
            if found.did("recombine"):  # how much of the way it went nobody wrote down
                yield "adoption", found.place
