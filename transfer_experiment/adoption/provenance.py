"""Whose each line of a file was first: the seed's, the agent's own, or a peer's strategy's.

The origins of `lineage`, with the strategy told by its author and generation, and kept from one
question to the next: a line that stands in a generation came in with it or before, so what was read
once for the newest generation answers for all.
"""

import math
import time
from collections.abc import Iterable, Iterator, Sequence, Set
from threading import Lock
from typing import Literal, NamedTuple

from hyperspace.runs.files import META, TASK, StoredText
from hyperspace.runs.records import Generation, RunAgent, StrategyRead
from hyperspace.runs.spaces.lazy_generations import SoughtGenerations
from transfer_experiment.turns.lines import lines_of

OriginKind = Literal["seed", "own", "peer"]


class LineSource(NamedTuple):
    """Whose a line was first.

    Attributes:
        kind: The seed's, the agent's own, or a peer's.
        since: Generation of the agent in which it came in.
        peer: Of a peer's line, who that is; else empty.
        peer_generation: Of a peer's line, which generation of the peer's was in sight.
    """

    kind: OriginKind
    since: int
    peer: str = ""
    peer_generation: int | None = None


class SourceLine(NamedTuple):
    """A line of code as it stands; its source is None for an empty line."""

    text: str
    source: LineSource | None


class FileProvenance:
    """Whose each line of one file of one agent was first; may be used by several threads.

    Of what was taken in, only the generation is kept in which each line first stood; what was in
    sight then is read for the lines that are looked at.

    Args:
        agent: Name of the agent.
        file: Path of the file in the agent's code.

    Attributes:
        upto: The newest generation that was taken in; -1 before the first.
    """

    def __init__(self, agent: str, file: str = TASK) -> None:
        self.upto = -1
        self._lock = Lock()
        self._agent = agent
        self._file = file
        self._since: dict[str, int] = {}
        self._sources: dict[str, LineSource] = {}

    def advance(self, agent: RunAgent, upto: int, seconds: float = math.inf) -> None:
        """Take in what is new of the agent's generations, up to a number.

        Args:
            agent: The agent.
            upto: The last generation that is needed.
            seconds: After about so long it stops, wherever it is.
        """
        end_s = time.monotonic() + seconds
        with self._lock:
            for number, stored in _texts(agent, self._file, self.upto, upto):
                for line in ((stored and stored.read()) or "").splitlines():
                    self._since.setdefault(line.strip(), number)
                self.upto = number
                if time.monotonic() > end_s:
                    return

    def label(self, agent: RunAgent, text: str) -> list[SourceLine]:
        """Give each line of a text that was taken in its source."""
        with self._lock:
            lines = text.splitlines()
            self._find({line.strip() for line in lines} - {""} - self._sources.keys(), agent)
            return [SourceLine(line, self._sources.get(line.strip())) for line in lines]

    def _find(self, lines: Set[str], agent: RunAgent) -> None:
        """Look up the source of lines."""
        new: dict[int, list[str]] = {}
        for line in lines & self._since.keys():
            new.setdefault(self._since[line], []).append(line)
        for turn in _turns(agent, sorted(new)):
            peers = [seen for seen in turn.seen if seen.peer != self._agent]
            for line in new[turn.generation]:
                self._sources[line] = LineSource(
                    "own" if turn.generation else "seed", turn.generation
                )
            for strategy in reversed(peers):  # of several the first counts
                shown = strategy_file(strategy, self._file)
                for line in lines_of((shown and shown.read()) or "").intersection(
                    new[turn.generation]
                ):
                    self._sources[line] = LineSource(
                        "peer", turn.generation, strategy.peer, strategy.generation
                    )


def _texts(
    agent: RunAgent, file: str, after: int, upto: int
) -> Iterator[tuple[int, StoredText | None]]:
    if isinstance(agent.generations, SoughtGenerations):
        yield from agent.generations.texts(file, after, upto)
        return
    for turn in agent.generations:
        if after < turn.generation <= upto:
            yield turn.generation, own_file(turn, file)


def _turns(agent: RunAgent, numbers: Sequence[int]) -> Iterable[Generation]:
    if isinstance(agent.generations, SoughtGenerations):
        return agent.generations.read(numbers).values()
    return [turn for turn in map(agent.turn, numbers) if turn is not None]


def own_file(turn: Generation, path: str) -> StoredText | None:
    """Return a file of a generation's own code; None if it has none of this path."""
    return {TASK: turn.task, META: turn.meta, **turn.own_files}.get(path)


def strategy_file(strategy: StrategyRead, path: str) -> StoredText | None:
    """Return a file of a strategy as it was in sight; None if it has none of this path."""
    return {TASK: strategy.task, META: strategy.meta}.get(path)
