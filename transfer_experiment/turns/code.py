"""The code of one generation, and the strategies that were in sight of it."""

import msgspec

from runs.files import StoredText
from runs.records import Generation
from transfer_experiment.similarity.moves import TEXTS_AT_HAND, LeastRecentlyUsed
from transfer_experiment.turns.evidence import Evidence
from transfer_experiment.turns.facts import TurnFacts


class SeenStrategy(msgspec.Struct, frozen=True):
    """A strategy that was in sight of a generation.

    Attributes:
        peer: Who published it.
        strategy: Its path: `strategies/` and its folder name.
        text: Its task agent.
        evidence: Where the agent read it, if it did, and what it said of it.
        meta: Its meta agent; empty if it is not there.
    """

    peer: str
    strategy: str
    text: str
    evidence: tuple[Evidence, ...]
    meta: str = ""

    @property
    def folder(self) -> str:
        """Its folder name."""
        return self.strategy.rpartition("/")[2]

    @property
    def was_read(self) -> bool:
        """True if the agent was observed to ask for it."""
        return any(item.rank == "host-observed" for item in self.evidence)


class TurnCode(msgspec.Struct, frozen=True):
    """The code of one generation of one agent, with what it could have been taken from.

    Attributes:
        generation: Its number.
        text: Its task agent; None when it is missing.
        val_score: Validation score; None when it was not evaluated.
        seen: Strategies that were in sight.
        meta: Its meta agent; None when it is missing.
        trace_problem: Why its trace cannot tell what was read; empty if it can.
        went_back: True if it opened the code of an earlier generation of its own.
    """

    generation: int
    text: str | None
    val_score: float | None
    seen: tuple[SeenStrategy, ...] = ()
    meta: str | None = None
    trace_problem: str = ""
    went_back: bool = False


class Texts:
    """Reads texts, and has the last few at hand."""

    def __init__(self) -> None:
        self._kept: LeastRecentlyUsed[str | None] = LeastRecentlyUsed(TEXTS_AT_HAND)

    def read(self, text: StoredText) -> str | None:
        """Return the text; None if it is not there."""
        return self._kept.get(text, text.read)


def code_of(turn: Generation, facts: TurnFacts, texts: Texts) -> TurnCode:
    """Read a generation's code and the strategies in sight, with the evidence in its trace."""
    return TurnCode(
        generation=turn.generation,
        text=texts.read(turn.task),
        val_score=turn.val,
        seen=tuple(
            SeenStrategy(
                peer=seen.peer,
                strategy=f"strategies/{seen.folder}",
                text=texts.read(seen.task) or "",
                evidence=facts.evidence.get(seen.folder, ()),
                meta=texts.read(seen.meta) or "",
            )
            for seen in turn.seen
        ),
        meta=texts.read(turn.meta),
        trace_problem=facts.problem,
        went_back=facts.went_back,
    )
