"""The analysis as one JSON object, and as CSV tables."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, cast

import msgspec

from hyperspace.kernel.files import write_atomically
from hyperspace.tasks.csv_rows import inert_row
from transfer_experiment.adoption.events import Adoption
from transfer_experiment.adoption.lineage import LineCounts
from transfer_experiment.adoption.side_by_side import RuleComparison
from transfer_experiment.analysis import RunAnalysis
from transfer_experiment.detectors import all_kinds
from transfer_experiment.efficiency import THRESHOLDS, Efficiency
from transfer_experiment.findings.finding import Findings
from transfer_experiment.findings.kind import FindingKind
from transfer_experiment.survey import RunsSurvey

_HABITS: Final = ("kind", "agent", "generation", "evidence", "quote", "pieces")


def to_json(survey: RunsSurvey) -> str:
    """One JSON object on one line, in ASCII: a terminal obeys some characters above it."""
    runs = [_run(run) for run in survey.runs]
    totals: dict[str, Any] = msgspec.to_builtins(survey.totals)
    own, habits = totals.pop("own"), totals.pop("habits")
    fields = {"runs": runs, "totals": totals | own | {"findings": habits}}
    return json.dumps(fields, separators=(",", ":"))


def _run(run: RunAnalysis) -> dict[str, Any]:
    """A run's fields; kinds with a table of their own beside `findings`, the others in it."""
    fields: dict[str, Any] = msgspec.to_builtins(run)
    for kind in all_kinds():
        if kind.table == "own":
            fields[kind.name] = _rows(run.findings, kind)
    habits = {k.name: _rows(run.findings, k) for k in all_kinds() if k.section == "habits"}
    fields["findings"] = habits | {"unread": fields["findings"]["unread"]}
    return fields


def _rows(findings: Findings, kind: FindingKind) -> list[dict[str, Any]]:
    return [msgspec.to_builtins(kind.row(finding)) for finding in findings.of(kind.name)]


def write_tables(folder: Path, runs: Sequence[RunAnalysis]) -> None:
    """Write one CSV file for each kind of event, one for the agents and one for their habits.

    Each row begins with pairing and seed. Evidence is the first piece: `file:line` and its quote.
    """
    _write(folder / "agents.csv", _agent_rows(runs), _columns(Efficiency))
    _write(folder / "habits.csv", _habit_rows(runs), _HABITS)
    for name, record in (("adoptions", Adoption), ("comparisons", RuleComparison)):
        rows = [
            _run_columns(run) | _flat(msgspec.to_builtins(event))
            for run in runs
            for event in getattr(run, name)
        ]
        _write(folder / f"{name}.csv", rows, _columns(record))
    for kind in all_kinds():
        if kind.table == "own":
            rows = [
                _run_columns(run) | _flat(row) for run in runs for row in _rows(run.findings, kind)
            ]
            _write(folder / f"{kind.name}.csv", rows, _spread(kind.columns))


def _agent_rows(runs: Iterable[RunAnalysis]) -> Iterator[dict[str, Any]]:
    for run in runs:
        for agent in run.agents:
            fields: dict[str, Any] = msgspec.to_builtins(agent.efficiency)
            reached = {f"reached_{name}": at for name, at in fields.pop("reached").items()}
            yield _run_columns(run) | fields | reached


def _habit_rows(runs: Iterable[RunAnalysis]) -> Iterator[dict[str, Any]]:
    for run in runs:
        for kind in all_kinds():
            for finding in run.findings.of(kind.name) if kind.table == "habits" else ():
                evidence = _flat({"evidence": msgspec.to_builtins(finding.evidence)})
                own = {"kind": kind.name, "agent": finding.agent, "generation": finding.generation}
                yield _run_columns(run) | own | evidence


def _run_columns(run: RunAnalysis) -> dict[str, Any]:
    return {"pairing": run.pairing, "seed": run.seed}


def _columns(record: type[msgspec.Struct]) -> list[str]:
    """The columns of a record: as its fields, evidence and counts spread over several."""
    spread = _spread(record.__struct_fields__)
    if record is Adoption:
        spread[spread.index("lines") : spread.index("lines") + 1] = [
            f"lines_{origin}" for origin in LineCounts.__struct_fields__
        ]
    return spread


def _spread(columns: Iterable[str]) -> list[str]:
    spread = {
        "evidence": ["evidence", "quote", "pieces"],
        "reached": [f"reached_{threshold:.2f}" for threshold in THRESHOLDS],
    }
    return [name for column in columns for name in spread.get(column, [column])]


def _flat(fields: dict[str, Any]) -> dict[str, Any]:
    """Evidence and counts of lines as columns of their own."""
    evidence = fields.pop("evidence", None)
    if isinstance(fields.get("lines"), dict):
        counts = cast("dict[str, int]", fields.pop("lines"))
        fields |= {f"lines_{origin}": count for origin, count in counts.items()}
    if isinstance(path := fields.get("path"), list):
        steps = cast("list[dict[str, Any]]", path)
        fields["path"] = " ".join(f"{step['kind']}:{step['file']}:{step['line']}" for step in steps)
    if evidence is not None:
        first: dict[str, Any] = evidence[0] if evidence else {}
        fields["evidence"] = f"{first['file']}:{first['line']}" if first else ""
        fields["quote"] = first.get("quote", "")
        fields["pieces"] = len(evidence)
    return fields


def _write(path: Path, rows: Iterable[dict[str, Any]], columns: Sequence[str]) -> None:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, ["pairing", "seed", *columns], lineterminator="\n")
    writer.writeheader()
    writer.writerows(map(inert_row, rows))  # agents and strangers wrote the texts
    write_atomically(path, text.getvalue().encode("utf-8", "backslashreplace"))
