"""Whose each line of a file was first: the seed's, the agent's own, or a peer's strategy's.

The origins of `lineage`, with the strategy told by its author and generation, and kept from one
question to the next: a line that stands in a generation came in with it or before, so what was read
once for the newest generation answers for all.
"""

from collections.abc import Sequence
from threading import Lock
from typing import Literal, NamedTuple

from runs.files import META, TASK, StoredText
from runs.records import Generation, RunAgent, StrategyRead
from transfer_experiment.adoption.lineage import Lineage
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
        self._lineage = Lineage()
        self._peers: dict[tuple[int, str], StrategyRead] = {}

    def advance(self, generations: Sequence[Generation], upto: int) -> None:
        """Take in what is new of an agent's generations, up to a number."""
        with self._lock:
            for turn in generations:
                if self.upto < turn.generation <= upto:
                    self._take(turn)

    def label(self, text: str) -> list[SourceLine]:
        """Give each line of a text that was taken in its source."""
        return [
            SourceLine(line, None if origin is None else self._source(*origin))
            for line, origin in self._lineage.label(text)
        ]

    def _take(self, turn: Generation) -> None:
        self.upto = turn.generation
        stored = own_file(turn, self._file)
        text = None if stored is None else stored.read()
        if text is None:
            return
        seen: dict[str, frozenset[str]] = {}
        for strategy in turn.seen:
            shown = strategy_file(strategy, self._file)
            if strategy.peer != self._agent and shown is not None:
                seen[strategy.folder] = lines_of(shown.read() or "")
                self._peers[turn.generation, strategy.folder] = strategy
        self._lineage.take(turn.generation, text, seen)

    def _source(self, generation: int, folder: str) -> LineSource:
        if not folder:
            return LineSource("own" if generation else "seed", generation)
        strategy = self._peers[generation, folder]
        return LineSource("peer", generation, strategy.peer, strategy.generation)


def own_file(turn: Generation, path: str) -> StoredText | None:
    """Return a file of a generation's own code; None if it has none of this path."""
    return {TASK: turn.task, META: turn.meta, **turn.own_files}.get(path)


def strategy_file(strategy: StrategyRead, path: str) -> StoredText | None:
    """Return a file of a strategy as it was in sight; None if it has none of this path."""
    return {TASK: strategy.task, META: strategy.meta}.get(path)


def source_lines(
    agent: RunAgent, generation: int, file: str = TASK, known: FileProvenance | None = None
) -> list[SourceLine]:
    """Label the lines of a file of a generation; empty if its text is missing.

    Args:
        agent: Whose.
        generation: Which; every generation before it is read, if it was not read before.
        file: Which file of its code.
        known: What was read before of this agent and file; grows.
    """
    turn = agent.turn(generation)
    stored = None if turn is None else own_file(turn, file)
    text = None if stored is None else stored.read()
    if text is None:
        return []
    known = known or FileProvenance(agent.name, file)
    known.advance(agent.generations, generation)
    return known.label(text)
