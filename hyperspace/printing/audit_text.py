"""An audit as lines for people. What candidates wrote is quoted, never handed to the terminal."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from guards.scope.changes import printable

if TYPE_CHECKING:
    from evolution.audit.audit import Audit

# Whose a pause at a limit is.
THE_RUN = "the run"


def lines_of(audit: "Audit") -> Iterator[str]:
    """Every record with its evidence, then the totals."""
    for record in (*audit.refused, *audit.denied):
        yield from map(printable, _record(record))
    verdicts = Counter(record["verdict"] for record in (*audit.refused, *audit.denied))
    flagged, paused = verdicts.pop("flagged", 0), verdicts.pop("paused", 0)
    more = f", {flagged} flagged by policies" if flagged else ""
    more += f", paused {paused} times at a limit" if paused else ""
    yield f"{verdicts.total()} refused{more}"
    for total in audit.totals:
        whose = total.agent or THE_RUN
        yield printable(f"    {whose} {total.kind} {total.verdict}: {total.count}")


def _record(record: dict[str, Any]) -> Iterator[str]:
    where = "" if record["generation"] is None else f" gen {record['generation']}"
    yield f"{record['agent'] or THE_RUN}{where} {record['kind']}: {record['what']}"
    yield f"    {record['verdict']}: {record['reason']}"
    evidence = record["evidence"]
    for finding in evidence.get("findings", ()):
        yield f"    line {finding['line']} {finding['kind']}: {finding['quote']}"
    for line in str(evidence.get("diff", "")).splitlines():
        yield f"    | {line}"
