"""The code of one generation, and the strategies that were in sight of it."""

from collections.abc import Callable, Mapping

import msgspec

from hyperspace.runs.files import META, TASK, StoredText
from hyperspace.runs.records import Generation
from transfer_experiment.similarity.cache import TEXTS_AT_HAND
from transfer_experiment.similarity.moves import LeastRecentlyUsed
from transfer_experiment.turns.evidence import Evidence
from transfer_experiment.turns.facts import TurnFacts
from transfer_experiment.turns.history import NOTHING_ON_RECORD, TurnHistory
from transfer_experiment.turns.lines import is_telling, line_numbers, lines_of
from transfer_experiment.turns.reading import displays, openings


class SeenStrategy(msgspec.Struct, frozen=True):
    """A strategy that was in sight of a generation.

    Attributes:
        peer: Who published it.
        strategy: Its path: `strategies/` and its folder name.
        text: Its task agent.
        evidence: Where it was read, if it was, and what the agent said of it.
        meta: Its meta agent; empty if it is not there.
    """

    peer: str
    strategy: str
    text: str
    evidence: tuple[Evidence, ...] = ()
    meta: str = ""

    @property
    def folder(self) -> str:
        """Its folder name."""
        return self.strategy.rpartition("/")[2]

    @property
    def was_read(self) -> bool:
        """True if it was observed to be opened or displayed."""
        return any(item.rank == "host-observed" for item in self.evidence)

    def line_number(self, line: str, file: str = "") -> int | None:
        """The number of a stripped line in one of its two files; None if it has no such line.

        Args:
            line: The line.
            file: Which file; without it, either of them.
        """
        texts = {TASK: self.text, META: self.meta}
        for name, text in texts.items():
            if file in ("", name) and line in lines_of(text):
                return line_numbers(text)[line]
        return None


class TurnCode(msgspec.Struct, frozen=True):
    """The code of one generation of one agent, with what it could have been taken from.

    Attributes:
        generation: Its number.
        text: Its task agent; None when it is missing.
        val_score: Validation score; None when it was not evaluated.
        seen: Strategies that were in sight.
        meta: Its meta agent; None when it is missing.
        others: Other files of its own code, by path.
        history: What happened in it.
    """

    generation: int
    text: str | None
    val_score: float | None
    seen: tuple[SeenStrategy, ...] = ()
    meta: str | None = None
    others: Mapping[str, str] = {}
    history: TurnHistory = NOTHING_ON_RECORD


class Texts:
    """Reads texts, and has the last few at hand."""

    def __init__(self) -> None:
        self._kept: LeastRecentlyUsed[str | None] = LeastRecentlyUsed(TEXTS_AT_HAND)

    def read(self, text: StoredText) -> str | None:
        """Return the text; None if it is not there."""
        return self._kept.get(text, text.read)


def code_of(
    turn: Generation, facts: TurnFacts, texts: Texts, is_own: Callable[[str], bool]
) -> TurnCode:
    """Read a generation's code and the strategies in sight, with the evidence on record.

    Args:
        turn: The generation.
        facts: What is on record of it.
        texts: Reads texts.
        is_own: Whether a line stood in the agent's code before.
    """
    others = {path: texts.read(text) for path, text in turn.own_files.items()}
    return TurnCode(
        generation=turn.generation,
        text=texts.read(turn.task),
        val_score=turn.val,
        seen=tuple(
            SeenStrategy(
                peer=seen.peer,
                strategy=f"strategies/{seen.folder}",
                text=(task := texts.read(seen.task) or ""),
                meta=(meta := texts.read(seen.meta) or ""),
                evidence=(
                    *_readings(facts.history, seen.folder, (task, meta), is_own),
                    *facts.claims.get(seen.folder, ()),
                ),
            )
            for seen in turn.seen
        ),
        meta=texts.read(turn.meta),
        others={path: text for path, text in others.items() if text is not None},
        history=facts.history,
    )


def _readings(
    history: TurnHistory, folder: str, texts: tuple[str, str], is_own: Callable[[str], bool]
) -> tuple[Evidence, ...]:
    """Where a strategy was read: opened, or displayed where accesses cannot tell."""
    if history.is_empty:
        return ()
    opened = tuple(openings(history, folder))
    if opened or not history.unobserved:
        return opened
    telling = {
        line for text in texts for line in lines_of(text) if is_telling(line) and not is_own(line)
    }
    return tuple(displays(history, telling))
