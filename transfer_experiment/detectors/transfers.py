"""What went over from a peer that was read: results, methodology, or nothing.

For a generation that read a strategy (it was opened, or displayed):

- *results*: telling lines of the peer's task agent came in that the agent never had;
- *methodology*, by code: the same of its meta agent, the code that makes the changes;
- *methodology*, by words: no line came in, the code changed, and the agent says (claimed) that it
  took an idea from there, without a "not", "instead" or the like in that sentence;
- *informed independence*: none of these, though the peer had lines to give, and the task agent
  changed: it knew, and went its own way.

Source: docs/reference/analysis.md.
"""

import re
from collections.abc import Iterator
from typing import Final

from hyperspace.reporting.lines import score
from transfer_experiment.findings import Finding, FindingKind, Turn, in_turn
from transfer_experiment.findings.telling import as_events
from transfer_experiment.turns.code import SeenStrategy
from transfer_experiment.turns.evidence import Evidence

_IDEA = re.compile(
    r"\b(?:adopt|borrow|tak(?:e|en|ing)|took|port(?:ed|ing)|cop(?:y|ied)|incorporat|integrat|reus"
    r"|inspired|idea|approach|technique|based on|learn(?:ed|t)? from|follow(?:ed|ing))",
    re.I,
)
_TURNED_DOWN = re.compile(
    r"\b(?:not|no|never|nothing|none|instead|rather|unlike|worse|weaker|ignor|own way)\b|n't\b",
    re.I,
)


TRANSFERS: Final = FindingKind(
    name="transfers",
    title="what went over",
    order=20,
    section="events",
    table="own",
    label="what went over",
    columns=(
        *("agent", "peer", "generation", "strategy"),
        *("kind", "basis", "lines", "evidence"),
    ),
    needs=("code", "traces"),
    count_by=("kind", "basis"),
    tell=as_events,
)
INDEPENDENCES: Final = FindingKind(
    name="independences",
    title="read a peer and went its own way",
    order=30,
    section="events",
    table="own",
    label="informed independence",
    columns=(
        *("agent", "peer", "generation", "strategy"),
        *("score_before", "score_after", "evidence"),
    ),
    needs=("code", "traces"),
    tell=as_events,
)


@in_turn(TRANSFERS)
def transfers(turn: Turn) -> Iterator[Finding]:
    """Find what went over: `results` of a task agent, or `methodology`, of how to change code.

    The basis is `code` where lines came in, and `words` where only the agent says so.
    """
    for seen in _read(turn):
        task, meta = turn.lineages.came_in(turn.code, seen)
        if task:
            yield _transfer(turn, seen, "results", task)
        if meta:
            yield _transfer(turn, seen, "methodology", meta)
        code = (turn.code.text, turn.code.meta)
        has_changed = turn.previous and (turn.previous.text, turn.previous.meta) != code
        if not (task or meta) and has_changed and (claims := _ideas(seen)):
            yield _transfer(turn, seen, "methodology", 0, claims)


def _transfer(
    turn: Turn, seen: SeenStrategy, kind: str, lines: int, claims: tuple[Evidence, ...] = ()
) -> Finding:
    how = "by its own words" if claims else f"{lines} lines"
    return TRANSFERS.finding(
        turn.agent,
        turn.generation,
        claims or seen.evidence,
        f"<- {seen.folder}, {kind} ({how})",
        peer=seen.peer,
        strategy=seen.strategy,
        kind=kind,
        basis="words" if claims else "code",
        lines=lines,
    )


@in_turn(INDEPENDENCES)
def independences(turn: Turn) -> Iterator[Finding]:
    """Find the strategies that a generation read and took nothing of."""
    previous, code = turn.previous, turn.code
    if previous is None or code.text == previous.text:
        return
    for seen in _read(turn):
        nothing_came_in = turn.lineages.came_in(code, seen) == (0, 0)
        if turn.lineages.gives(seen) and nothing_came_in and not _ideas(seen):
            scores = f"{score(previous.val_score)} -> {score(code.val_score)}"
            yield INDEPENDENCES.finding(
                turn.agent,
                turn.generation,
                (item for item in seen.evidence if item.rank == "host-observed"),
                f"read {seen.folder}; val {scores}",
                peer=seen.peer,
                strategy=seen.strategy,
                score_before=previous.val_score,
                score_after=code.val_score,
            )


def _read(turn: Turn) -> Iterator[SeenStrategy]:
    """The strategies of peers that a generation was observed to read, where its code is known."""
    if turn.previous is not None:
        yield from (seen for seen in turn.code.seen if seen.peer != turn.agent and seen.was_read)


def _ideas(seen: SeenStrategy) -> tuple[Evidence, ...]:
    return tuple(
        item
        for item in seen.evidence
        if item.rank == "claimed"
        and _IDEA.search(item.quote)
        and not _TURNED_DOWN.search(item.quote)
    )
