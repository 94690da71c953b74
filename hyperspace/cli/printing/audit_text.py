"""An audit as lines for people. What candidates wrote is quoted, never handed to the terminal."""

import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

from guards.scope.changes import printable
from hyperspace.audit.audit import Audit

# Whose a pause is.
THE_RUN = "the run"


def print_audit(audit: Audit) -> None:
    """Print records and totals, then what got through, then whether the chain verifies."""
    for line in _lines_of(audit):
        print(line)
    for problem in audit.through:
        print(f"GOT THROUGH: {printable(problem)}", file=sys.stderr)
    if audit.verified:
        print(f"audit chain verified: {audit.entries} entries, head {audit.head}")
        for source in audit.noted:
            print(f"    it holds what {printable(source)} names")
    else:
        print(f"AUDIT CHAIN DOES NOT VERIFY: {printable(audit.problem)}", file=sys.stderr)


def _lines_of(audit: Audit) -> Iterator[str]:
    """Every record with its evidence, then the totals."""
    for record in (*audit.refused, *audit.denied):
        yield from map(printable, _record(record))
    verdicts = Counter(record["verdict"] for record in (*audit.refused, *audit.denied))
    flagged, paused = verdicts.pop("flagged", 0), verdicts.pop("paused", 0)
    more = f", {flagged} flagged" if flagged else ""
    more += f", paused {paused} times" if paused else ""
    yield f"{verdicts.total()} refused{more}"
    for total in audit.totals:
        whose = total.agent or THE_RUN
        yield printable(f"    {whose} {total.kind} {total.verdict}: {total.count}")
    for replaced in audit.replaced:
        count, entry = len(replaced.files), replaced.entry
        yield f"{count} files {replaced.reason} since they were closed (entry {entry} of the chain)"


def _record(record: dict[str, Any]) -> Iterator[str]:
    where = "" if record["generation"] is None else f" gen {record['generation']}"
    yield f"{record['agent'] or THE_RUN}{where} {record['kind']}: {record['what']}"
    yield f"    {record['verdict']}: {record['reason']}"
    evidence = record["evidence"]
    for finding in evidence.get("findings", ()):
        yield f"    line {finding['line']} {finding['kind']}: {finding['quote']}"
    for line in str(evidence.get("diff", "")).splitlines():
        yield f"    | {line}"
