"""Tables of scores: runs of which only scores and sizes are left, no code and no traces.

Columns of a table of pairs: `pairing, seed, agent, generation, valid, train_score, val_score` and,
if known, `task_agent_bytes, meta_agent_bytes`. Of solo arms: `arm` in place of pairing and agent,
and `parent`. An empty field is none.
"""

import csv
import io
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from evolution.errors import RunUsageError
from runs.files import NoText
from runs.records import AgentRead, RunRead, TurnRead
from runs.trace import TraceFile

_NEEDED = ("seed", "generation", "valid", "train_score", "val_score")
NOTE = "a table of scores: no code and no traces, so nothing is said of adoption"

Row = Mapping[str, str]


def read_table(path: Path) -> list[RunRead]:
    """Read every run of a table, in its order.

    Raises:
        RunUsageError: It is no such table; names the column or the line.
    """
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    reader = csv.DictReader(io.StringIO(text, newline=""))
    _check_columns(path, list(reader.fieldnames or []))
    runs: dict[tuple[str, str], dict[str, list[TurnRead]]] = defaultdict(dict)
    for row in reader:
        name = row.get("pairing") or row.get("arm") or ""
        agents = runs[name, row["seed"]]
        try:
            turn = _turn(row)
        except (ValueError, TypeError) as error:
            raise RunUsageError(f"{path}, line {reader.line_num}: {error}") from error
        agents.setdefault(row.get("agent") or name, []).append(turn)
    return [_run(path, name, seed, agents) for (name, seed), agents in runs.items()]


def _check_columns(path: Path, columns: list[str]) -> None:
    missing = [name for name in _NEEDED if name not in columns]
    if "pairing" not in columns and "arm" not in columns:
        missing.append("pairing (or arm)")
    if missing:
        raise RunUsageError(
            f"{path} is no table of scores: it lacks the columns {', '.join(missing)}"
        )


def _run(path: Path, name: str, seed: str, agents: Mapping[str, list[TurnRead]]) -> RunRead:
    read = tuple(
        AgentRead(agent, agent, tuple(sorted(turns, key=lambda turn: turn.generation)))
        for agent, turns in agents.items()
    )
    digits = seed.removeprefix("seed").lstrip("_")
    return RunRead(name, int(digits) if digits.isdecimal() else None, path, read, (NOTE,))


def _turn(row: Row) -> TurnRead:
    return TurnRead(
        generation=int(row["generation"]),
        valid=row["valid"].strip().lower() in ("true", "1"),
        error="",
        train=_number(row["train_score"]),
        val=_number(row["val_score"]),
        parent=int(row["parent"]) if row.get("parent") else None,
        task=NoText(_size(row, "task_agent_bytes")),
        meta=NoText(_size(row, "meta_agent_bytes")),
        seen=(),
        seen_recorded=False,
        trace=TraceFile(None, ""),
    )


def _number(text: str) -> float | None:
    return float(text) if text.strip() else None


def _size(row: Row, column: str) -> int | None:
    text = row.get(column)
    return int(text) if text else None
