"""What was found as one JSON object, and as CSV tables."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec

from evolution.files import write_atomically
from transfer_experiment.analysis import RunAnalysis
from transfer_experiment.survey import Survey

_EVENTS = ("adoptions", "comparisons", "crashes", "transfers", "independences", "contradictions")


def to_json(found: Survey) -> str:
    """One JSON object on one line, in ASCII: a terminal obeys some characters above it."""
    return json.dumps(msgspec.to_builtins(found), separators=(",", ":"))


def write_tables(folder: Path, runs: Sequence[RunAnalysis]) -> list[Path]:
    """Write one CSV file for each kind of event, and one for the agents.

    Each row begins with pairing and seed. Evidence is the first piece: `file:line` and its quote.

    Returns:
        The files.
    """
    written = [_write(folder / "agents.csv", _agent_rows(runs))]
    written += [_write(folder / f"{kind}.csv", _event_rows(runs, kind)) for kind in _EVENTS]
    return written


def _agent_rows(runs: Iterable[RunAnalysis]) -> Iterator[dict[str, Any]]:
    for run in runs:
        for agent in run.agents:
            fields: dict[str, Any] = msgspec.to_builtins(agent.efficiency)
            reached = {f"reached_{name}": at for name, at in fields.pop("reached").items()}
            yield _place(run) | fields | {"model": agent.model} | reached


def _event_rows(runs: Iterable[RunAnalysis], kind: str) -> Iterator[dict[str, Any]]:
    for run in runs:
        for event in getattr(run, kind):
            yield _place(run) | _flat(msgspec.to_builtins(event))


def _place(run: RunAnalysis) -> dict[str, Any]:
    return {"pairing": run.pairing, "seed": run.seed}


def _flat(fields: dict[str, Any]) -> dict[str, Any]:
    """Evidence and counts of lines as columns of their own."""
    evidence = fields.pop("evidence", None)
    if isinstance(fields.get("lines"), dict):
        counts = cast("dict[str, int]", fields.pop("lines"))
        fields |= {f"lines_{origin}": count for origin, count in counts.items()}
    if evidence is not None:
        first: dict[str, Any] = evidence[0] if evidence else {}
        fields["evidence"] = f"{first['file']}:{first['line']}" if first else ""
        fields["quote"] = first.get("quote", "")
        fields["pieces"] = len(evidence)
    return fields


def _write(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    found = list(rows)
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(found[0]) if found else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(found)
    write_atomically(path, text.getvalue().encode())
    return path
