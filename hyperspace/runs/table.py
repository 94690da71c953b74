"""Tables of scores: one line a generation, as in the published `replication_scores.csv`.

Columns are found by name; an empty cell is absent. `arm` (or `pairing`), `seed`, `generation` and
`val_score` have to be there; `agent` makes runs of several agents.
"""

import csv
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from guards.parsing import csv_lines
from guards.scope.regular_files import open_regular
from hyperspace.kernel.errors import RunUsageError
from hyperspace.runs.files import HeldText
from hyperspace.runs.records import Generation, Run, RunAgent

_NEEDED: Final = ("seed", "generation", "val_score")
_TRUTHS: Final = {"true": True, "1": True, "false": False, "0": False}
_MOST_NOTED: Final = 5
_TORN: Final = "\0"  # stands where a line has too few cells or too many


class _Key(NamedTuple):
    """The cells in which lines of one run agree."""

    domain: str
    experiment: str
    arm: str
    seed: int


class _BadLine(Exception):
    """A line that does not say what its column has to; the message says which."""


def read_table(path: Path) -> list[Run]:
    """Read all runs of a table, in the order in which they come.

    Raises:
        RunUsageError: It is no such table, or no line of it can be read.
    """
    runs: dict[_Key, dict[str, dict[int, Generation]]] = {}
    notes: list[str] = []
    for where, row in _rows(path):
        try:
            key, agent, generation = _line(row)
            rows = runs.setdefault(key, {}).setdefault(agent, {})
            if rows.setdefault(generation.generation, generation) is not generation:
                raise _BadLine(f"generation {generation.generation} of this run was there before")
        except _BadLine as error:
            notes.append(f"{where} was left out: {error}")
    if not runs:
        raise RunUsageError("; ".join((f"{path} is a table without a run", *notes[:1])))
    kept = tuple(notes[:_MOST_NOTED])
    if len(notes) > _MOST_NOTED:
        kept = (*kept, f"and {len(notes) - _MOST_NOTED} more lines")
    return [_run(key, agents, path, kept) for key, agents in runs.items()]


def _rows(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    try:
        with open_regular(path.resolve()) as file:
            rows = csv.DictReader(csv_lines(file), strict=True, restkey=_TORN, restval=_TORN)
            _check_columns(path, rows.fieldnames or ())
            for row in rows:
                yield f"{path.name}, line {rows.line_num},", row
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise RunUsageError(f"{path} is no table of scores ({error})") from error


def _check_columns(path: Path, columns: Sequence[str]) -> None:
    missing = [name for name in _NEEDED if name not in columns]
    if "arm" not in columns and "pairing" not in columns:
        missing.insert(0, "arm (or pairing)")
    if missing:
        raise RunUsageError(
            f"{path} is no table of scores: it has no column {', '.join(missing)}; "
            f"its columns are {', '.join(columns)}"[:400]
        )


def _line(row: dict[str, str]) -> tuple[_Key, str, Generation]:
    if _TORN in row or _TORN in row.values():
        raise _BadLine("it has more or fewer cells than the heading")
    arm = row.get("arm") or row.get("pairing") or ""
    seed = _whole(row, "seed", prefix="seed")
    at = _whole(row, "generation")
    if not arm or seed is None or at is None:
        raise _BadLine("it does not say arm, seed and generation")
    key = _Key(row.get("domain", ""), row.get("experiment", ""), arm, seed)
    return key, row.get("agent", ""), _generation(at, row)


def _generation(at: int, row: dict[str, str]) -> Generation:
    val = _number(row, "val_score")
    valid = _truth(row, "valid")
    return Generation(
        generation=at,
        parent=_whole(row, "parent"),
        forked_from=_whole(row, "forked_from"),
        valid=val is not None if valid is None else valid,
        train=_number(row, "train_score"),
        val=val,
        full_eval=_truth(row, "full_eval"),
        winner=row.get("tournament_winner", ""),
        task=HeldText(size=_whole(row, "task_agent_bytes")),
        meta=HeldText(size=_whole(row, "meta_agent_bytes")),
        code_bytes=_whole(row, "task_agent_bytes"),
    )


def _run(
    key: _Key, agents: dict[str, dict[int, Generation]], path: Path, notes: tuple[str, ...]
) -> Run:
    return Run(
        **key._asdict(),
        pairing=key.arm,
        source=str(path),
        agents=tuple(
            RunAgent(name, tuple(row for _, row in sorted(generations.items())))
            for name, generations in agents.items()
        ),
        in_table=True,
        notes=notes,
    )


def _number(row: dict[str, str], name: str) -> float | None:
    text = row.get(name, "")
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise _BadLine(f"{name} is {text[:40]!r}, which is no finite number")
    return value


def _whole(row: dict[str, str], name: str, prefix: str = "") -> int | None:
    text = row.get(name, "").removeprefix(prefix).removeprefix("_" if prefix else "")
    if not text:
        return None
    if not text.isdecimal() or len(text) > 18:
        raise _BadLine(f"{name} is {text[:40]!r}, which is no whole number")
    return int(text)


def _truth(row: dict[str, str], name: str) -> bool | None:
    text = row.get(name, "")
    if text and text.lower() not in _TRUTHS:
        raise _BadLine(f"{name} is {text[:40]!r}, which is neither True nor False")
    return _TRUTHS[text.lower()] if text else None
