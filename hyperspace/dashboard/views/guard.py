"""Guard: what was refused, put back, rewritten or flagged, and what got through, with evidence."""

import shlex
from typing import Any, Final

from hyperspace.audit.noted import NotedRecords
from hyperspace.dashboard.pages.addresses import generation_page
from hyperspace.dashboard.pages.guarding import ShownGuard, shown_guard
from hyperspace.dashboard.pages.pager import pager
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.reading.judged import audit_of
from hyperspace.dashboard.view import PageContent, View
from hyperspace.runs.generation_record import guard_record

MOST_RECORDS: Final = 100  # on one page
_FILTERS: Final = ("agent", "kind", "verdict")


def render(question: Question) -> PageContent:
    """Show what the audit of a run tells."""
    audit = audit_of(question)
    asked = {name: question.query[name] for name in _FILTERS if name in question.query}
    wanted = [
        record
        for record in audit.records
        if all(str(record[name]) == asked[name] for name in asked)
    ]
    first = question.whole("from", 0)
    refused = (t.count for t in audit.totals if t.verdict not in ("flagged", "paused"))
    values: dict[str, Any] = {
        "audit": None if isinstance(audit, NotedRecords) else audit,
        "command": f"hyperspace audit {shlex.quote(str(question.place.folder))}",
        "problem": audit.problem,
        "count": len(audit.records),
        "refused": sum(refused),
        "totals": audit.totals,
        "is_filtered": any(map(question.text, _FILTERS)),
        "records": [_record(question, each) for each in wanted[first : first + MOST_RECORDS]],
        "pages": pager(question, "guard", asked, first, MOST_RECORDS, len(wanted)),
    }
    return PageContent("Guard", "guard.html", values)


def _record(question: Question, record: dict[str, Any]) -> ShownGuard:
    agent, generation = record["agent"], record["generation"]
    whose, address = agent or "the run", ""
    if isinstance(generation, int):
        address = generation_page(question, agent, generation)
        whose = f"{agent} generation {generation}"
    elif generation is not None:
        whose = f"{agent} {generation}"
    when = str(record["recorded_utc"])[:19].replace("T", " ")
    return shown_guard(guard_record(record), whose, address, when)


VIEW = View("guard", "/runs/{run}/guard", render, label="Guard", of="ours")
