"""Adoptions as parts of any page: the table of events, and the evidence of each."""

from collections.abc import Iterator, Sequence

from hyperspace.reporting import page
from hyperspace.reporting.lines import score
from transfer_experiment.adoption.events import Adoption
from transfer_experiment.outputs.lines import path_line


def adoptions_table(events: Sequence[Adoption]) -> page.Markup:
    """Return all events as a table, one row for each rule that found one."""
    rows = [
        (
            who_from_what(event),
            str(event.generation),
            event.rule,
            event.verdict,
            f"{event.ratio:.3f}",
            f"{score(event.score_before)} to {score(event.score_after)}",
            str(event.peer_lines),
        )
        for event in events
    ]
    headings = ["who from what", "gen", "rule", "verdict", "ratio", "val", "lines"]
    caption = "Adoption events: lines are those that came from the peer alone"
    return page.table(headings, rows, caption=caption, numeric=(1, 4, 6))


def evidence_parts(events: Sequence[Adoption]) -> Iterator[page.Markup]:
    """Return the evidence of each event, folded; an event that both rules find has it once."""
    by_move = {(who_from_what(event), event.generation): event for event in events}
    for (who, generation), event in by_move.items():
        if quotes := evidence_lines(event):
            title = f"Evidence: {who} in generation {generation}"
            yield page.folded(title, page.bullets(quotes))


def evidence_lines(event: Adoption) -> list[str]:
    """Return the path of an event and each place that is evidence of it; empty if there is none."""
    path = [f"Path: {path_line(event.path)}"] if event.path else []
    return [*path, *(f"{e.file}:{e.line} ({e.rank}) {e.quote}" for e in event.evidence)]


def who_from_what(event: Adoption) -> str:
    """Name an event by who moved towards which strategy."""
    return f"{event.agent} from {event.strategy.rpartition('/')[2]}"
