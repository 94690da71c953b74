"""What was found as one JSON object, and as CSV tables."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, cast

import msgspec

from evolution.files import write_atomically
from transfer_experiment.adoption.causal_rule import Adoption
from transfer_experiment.adoption.lineage import LineCounts
from transfer_experiment.adoption.side_by_side import Comparison
from transfer_experiment.analysis import RunAnalysis
from transfer_experiment.detectors.contradictions import Contradiction
from transfer_experiment.detectors.crashes import Crash
from transfer_experiment.detectors.records import Neglect
from transfer_experiment.detectors.transfers import Independence, Transfer
from transfer_experiment.efficiency import THRESHOLDS, Efficiency
from transfer_experiment.survey import Survey
from transfer_experiment.totals import KINDS

_EVENTS: Final[dict[str, type[msgspec.Struct]]] = {
    "adoptions": Adoption,
    "comparisons": Comparison,
    "crashes": Crash,
    "neglects": Neglect,
    "transfers": Transfer,
    "independences": Independence,
    "contradictions": Contradiction,
}
_HABITS: Final = ("kind", "agent", "generation", "evidence", "quote", "pieces")


def to_json(found: Survey) -> str:
    """One JSON object on one line, in ASCII: a terminal obeys some characters above it."""
    return json.dumps(msgspec.to_builtins(found), separators=(",", ":"))


def write_tables(folder: Path, runs: Sequence[RunAnalysis]) -> list[Path]:
    """Write one CSV file for each kind of event, one for the agents and one for their habits.

    Each row begins with pairing and seed. Evidence is the first piece: `file:line` and its quote.

    Returns:
        The files.
    """
    written = [_write(folder / "agents.csv", _agent_rows(runs), _columns(Efficiency))]
    written.append(_write(folder / "habits.csv", _habit_rows(runs), _HABITS))
    for kind, record in _EVENTS.items():
        rows = _event_rows(run_and_events(runs, kind))
        written.append(_write(folder / f"{kind}.csv", rows, _columns(record)))
    return written


def run_and_events(
    runs: Iterable[RunAnalysis], kind: str
) -> Iterator[tuple[RunAnalysis, msgspec.Struct]]:
    """The events of a kind, each with its run."""
    return ((run, event) for run in runs for event in getattr(run, kind))


def _agent_rows(runs: Iterable[RunAnalysis]) -> Iterator[dict[str, Any]]:
    for run in runs:
        for agent in run.agents:
            fields: dict[str, Any] = msgspec.to_builtins(agent.efficiency)
            reached = {f"reached_{name}": at for name, at in fields.pop("reached").items()}
            yield _place(run) | fields | reached


def _habit_rows(runs: Iterable[RunAnalysis]) -> Iterator[dict[str, Any]]:
    for run in runs:
        for kind in KINDS:
            for item in getattr(run.findings, kind):
                fields = _flat({"evidence": msgspec.to_builtins(item.evidence)})
                place = {"kind": kind, "agent": item.agent, "generation": item.generation}
                yield _place(run) | place | fields


def _event_rows(
    events: Iterable[tuple[RunAnalysis, msgspec.Struct]],
) -> Iterator[dict[str, Any]]:
    for run, event in events:
        yield _place(run) | _flat(msgspec.to_builtins(event))


def _place(run: RunAnalysis) -> dict[str, Any]:
    return {"pairing": run.pairing, "seed": run.seed}


def _columns(record: type[msgspec.Struct]) -> list[str]:
    """The columns of a record: as its fields, evidence and counts spread over several."""
    spread = {
        "evidence": ["evidence", "quote", "pieces"],
        "reached": [f"reached_{threshold:.2f}" for threshold in THRESHOLDS],
    }
    if record is Adoption:
        spread["lines"] = [f"lines_{origin}" for origin in LineCounts.__struct_fields__]
    return [name for field in record.__struct_fields__ for name in spread.get(field, [field])]


def _flat(fields: dict[str, Any]) -> dict[str, Any]:
    """Evidence and counts of lines as columns of their own."""
    evidence = fields.pop("evidence", None)
    if isinstance(fields.get("lines"), dict):
        counts = cast("dict[str, int]", fields.pop("lines"))
        fields |= {f"lines_{origin}": count for origin, count in counts.items()}
    if evidence is not None:
        first: dict[str, Any] = evidence[0] if evidence else {}
        fields["evidence"] = f"{first['file']}:{first['line']}" if first else ""
        fields["quote"] = _harmless(first.get("quote", ""))
        fields["pieces"] = len(evidence)
    return fields


def _harmless(text: str) -> str:
    """A text that no spreadsheet takes for a formula: agents wrote it."""
    return f"'{text}" if text[:1] in "=+-@\t\r" and text else text


def _write(path: Path, rows: Iterable[dict[str, Any]], columns: Sequence[str]) -> Path:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, ["pairing", "seed", *columns], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_atomically(path, text.getvalue().encode("utf-8", "backslashreplace"))
    return path
