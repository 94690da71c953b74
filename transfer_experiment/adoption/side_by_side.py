"""Both rules beside each other: where they agree on an adoption, and why not where they do not."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import msgspec

from hyperspace.runs.records import Run, best_turn
from transfer_experiment.adoption.events import Adoption

COUNTED = ("adopted", "unproven")  # verdicts that count as an adoption by the causal rule


class RuleComparison(msgspec.Struct, frozen=True):
    """Verdicts of the two rules on one generation and one peer, where at least one finds an event.

    Attributes:
        agent: Whose generation.
        peer: Towards whom.
        generation: Which.
        published: Ratio by the published rule; None if it finds no event.
        causal: Ratio by the causal rule; None if it finds no adoption.
        why: Why they disagree; empty if they agree.
    """

    agent: str
    peer: str
    generation: int
    published: float | None
    causal: float | None
    why: str


def compare_rules(
    run: Run, published: Sequence[Adoption], causal: Sequence[Adoption]
) -> list[RuleComparison]:
    """Put the events of both rules beside each other, in order."""
    by_published = _nearest(published)
    by_causal = _nearest(event for event in causal if event.verdict in COUNTED)
    judged = _nearest(causal)
    comparisons: list[RuleComparison] = []
    for moved in sorted({*by_published, *by_causal}):
        generation, agent, peer = moved
        of_published, of_causal, why = by_published.get(moved), by_causal.get(moved), ""
        if of_published is not None and of_causal is None:
            why = _why_not_causal(run, of_published, judged.get(moved))
        elif of_causal is not None and of_published is None:
            why = _why_not_published(run, of_causal)
        comparisons.append(
            RuleComparison(
                agent=agent,
                peer=peer,
                generation=generation,
                published=of_published.ratio if of_published else None,
                causal=of_causal.ratio if of_causal else None,
                why=why,
            )
        )
    return comparisons


def _nearest(events: Iterable[Adoption]) -> dict[tuple[int, str, str], Adoption]:
    """The event nearest to the peer for each generation, agent and peer."""
    nearest: dict[tuple[int, str, str], Adoption] = {}
    for event in events:
        moved = (event.generation, event.agent, event.peer)
        if moved not in nearest or event.ratio < nearest[moved].ratio:
            nearest[moved] = event
    return nearest


def _why_not_causal(run: Run, published: Adoption, judged: Adoption | None) -> str:
    turn = run.agent(published.agent).turn(published.generation)
    seen = () if turn is None else turn.seen
    shown = {f"strategies/{row.folder}" for row in seen if row.peer == published.peer}
    name = published.strategy.rpartition("/")[2]
    if published.strategy not in shown:
        instead = ", ".join(sorted(path.rpartition("/")[2] for path in shown)) or "nothing of it"
        return f"{name} was not in sight yet; in sight was {instead}"
    if judged is not None and judged.peer_lines:
        return f"{name} was in sight, but no path from it was observed"
    return f"no telling line of {name} was new to {published.agent}"


def _why_not_published(run: Run, causal: Adoption) -> str:
    pairs = pairwise(run.agent(causal.agent).generations)
    before = next(before for before, turn in pairs if turn.generation == causal.generation)
    if before.task.size_bytes() is None:
        return f"the code of generation {before.generation} is missing, so that rule skips"
    best = best_turn(run.agent(causal.peer), upto=causal.generation)
    other = "nothing" if best is None else f"{causal.peer}_gen{best.generation}"
    return f"that rule compares with {other}, best by the end of that round"
