"""Guard: what was refused, put back, rewritten or flagged, and what got through, with evidence."""

import shlex
from collections.abc import Iterator, Sequence
from typing import Any, Final

from hyperspace.audit.audit import Audit, AuditTotal
from hyperspace.audit.noted import NotedRecords
from hyperspace.dashboard.pages.addresses import generation_page, run_page
from hyperspace.dashboard.pages.facts import facts
from hyperspace.dashboard.pages.guarding import MOST_TEXT, guard_part
from hyperspace.dashboard.pages.pager import pager
from hyperspace.dashboard.pages.parts import link
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.reading.judged import audit_of
from hyperspace.dashboard.view import PageContent, View, glued
from hyperspace.reporting.lines import counted
from hyperspace.reporting.page import (
    Markup,
    bullets,
    escaped,
    joined,
    marked,
    note,
    paragraph,
    preformatted,
    section,
    table,
)
from hyperspace.runs.generation_record import guard_record

MOST_RECORDS: Final = 100  # on one page
MOST_PROBLEMS: Final = 200
_FILTERS: Final = ("agent", "kind", "verdict")


def render(question: Question) -> PageContent:
    """Show what the audit of a run tells."""
    audit = audit_of(question)
    records = [*audit.records]
    asked = {name: question.query[name] for name in _FILTERS if name in question.query}
    wanted = [
        record for record in records if all(str(record[name]) == asked[name] for name in asked)
    ]
    first = question.whole("from", 0)
    shown = wanted[first : first + MOST_RECORDS]
    state = _not_audited(question, audit) if isinstance(audit, NotedRecords) else _audited(audit)
    parts = [
        *state,
        _totals(question, audit.totals),
        *(_record(question, record) for record in shown),
        pager(question, "guard", asked, first, MOST_RECORDS, len(wanted)),
    ]
    return glued("Guard", tuple(parts), lead=_lead(audit.totals, len(records)))


def _not_audited(question: Question, noted: NotedRecords) -> Iterator[Markup]:
    yield note(
        "This run is too long to be audited while a page is opened: this is what it wrote down "
        "itself, in audit.jsonl. Whether that is whole, and whether anything got through, tells"
    )
    yield preformatted(f"hyperspace audit {shlex.quote(str(question.place.folder))}")
    if noted.problem:
        yield note(f"{noted.problem}.")


def _audited(audit: Audit) -> Iterator[Markup]:
    yield _state(audit)
    yield from _through(audit)
    for each in audit.replaced:
        count = counted(len(each.files), "file")
        yield note(f"{count} {each.reason} since they were closed (entry {each.entry}).")


def _lead(totals: Sequence[AuditTotal], count: int) -> str:
    if not count:
        return "The guard had nothing to refuse, and no policy found anything."
    refused = sum(t.count for t in totals if t.verdict not in ("flagged", "paused"))
    return f"{counted(count, 'record')}: {refused} refused, put back, rewritten or repaired."


def _state(audit: Audit) -> Markup:
    chain = marked("verifies", "good") if audit.verified else marked("does not verify", "bad")
    through = marked(str(len(audit.through)), "bad" if audit.through else "good")
    head = Markup(f'<span title="{escaped(audit.head)}">{escaped(audit.head[:16])}…</span>')
    rows = [
        ("audit chain", chain),
        ("entries", str(audit.entries)),
        ("head", head if audit.head else ""),
        ("got through", through),
    ]
    problem = note(escaped(audit.problem, MOST_TEXT)) if audit.problem else Markup("")
    return joined((facts(rows), problem))


def _through(audit: Audit) -> Iterator[Markup]:
    """What got past the guard, or was done to the files since."""
    if audit.through:
        lines = [escaped(problem, MOST_TEXT) for problem in audit.through[:MOST_PROBLEMS]]
        left_out = len(audit.through) - MOST_PROBLEMS
        lines += [escaped(f"and {left_out} more")] if left_out > 0 else []
        yield section("Got through, or changed since", bullets(lines))


def _totals(question: Question, totals: Sequence[AuditTotal]) -> Markup:
    """Counts that filter what is shown."""
    if not totals:
        return Markup("")
    rows = [
        (
            total.agent or "the run",
            total.kind,
            total.verdict,
            link(
                str(total.count),
                run_page(
                    question, "guard", agent=total.agent, kind=total.kind, verdict=total.verdict
                ),
            ),
        )
        for total in totals
    ]
    table_of = table(("whose", "kind", "verdict", "count"), rows, caption="In all", numeric=(3,))
    every = paragraph(link("show all", run_page(question, "guard")))
    return joined((table_of, every if any(map(question.text, _FILTERS)) else ""))


def _record(question: Question, record: dict[str, Any]) -> Markup:
    agent, generation = record["agent"], record["generation"]
    where: str = agent or "the run"
    if isinstance(generation, int):
        address = generation_page(question, agent, generation)
        where = link(f"{agent} generation {generation}", address)
    elif generation is not None:
        where = f"{agent} {generation}"
    when = str(record["recorded_utc"])[:19].replace("T", " ")
    return guard_part(guard_record(record), joined((where, f" {when} ".rstrip(), " · ")))


VIEW = View("guard", "/runs/{run}/guard", render, label="Guard", of="ours")
