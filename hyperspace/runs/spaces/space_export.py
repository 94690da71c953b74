"""A whole space as one file: JSON lines or Parquet, written as it is read."""

import os
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, Literal
from uuid import UUID

import msgspec

from hyperspace.kernel.errors import LibraryMissing
from hyperspace.kernel.files import in_the_way
from hyperspace.runs.spaces.listing import to_json
from hyperspace.runs.spaces.opening import Kept, SpaceUsageError

Format = Literal["jsonl", "parquet"]
Write = Callable[[BinaryIO, Iterable[Kept]], int]
Row = dict[str, Any]

BATCH_ROWS = 5000
BATCH_BYTES = 16 * 1024**2
PAYLOADS = ("content", "result", "context")
COLUMNS = {
    "sequence": "int64",
    "state": "string",
    "superseded_by": "int64",
    "mark_type": "string",
    "scope": "string",
    "id": "string",
    "agent_id": "string",
    "created_at": "float64",
    "initial_strength": "float64",
    "supersedes": "string",
    "topic": "string",
    "resource": "string",
    "action": "string",
    "confidence": "float64",
    "source": "string",
    "severity": "string",
    "invalidates": "string",
    "reason": "string",
    "failed": "bool_",
    "question": "string",
    "priority": "float64",
    "blocking": "bool_",
    "resolved_by": "string",
    "resolved_by_agent": "string",
    "payload": "string",
}


def writer_of(kind: Format) -> Write:
    """Return what writes a format.

    Raises:
        LibraryMissing: It needs pyarrow, which is not installed.
    """
    if kind == "jsonl":
        return write_jsonl
    try:
        import_module("pyarrow.parquet")
    except ImportError as error:
        needs = f"Parquet needs pyarrow ({error})"
        raise LibraryMissing(needs, "parquet", "use --format jsonl") from error
    return write_parquet


def write_jsonl(file: BinaryIO, marks: Iterable[Kept]) -> int:
    """Write one JSON object a line; return how many."""
    count = 0
    for kept in marks:
        file.write(to_json(kept) + b"\n")
        count += 1
    return count


def write_parquet(file: BinaryIO, marks: Iterable[Kept]) -> int:
    """Write one table in row groups of bounded size; return its number of rows."""
    arrow: Any = import_module("pyarrow")
    parquet: Any = import_module("pyarrow.parquet")
    schema = arrow.schema([(name, getattr(arrow, kind)()) for name, kind in COLUMNS.items()])
    count = 0
    with parquet.ParquetWriter(file, schema) as table:
        for rows in batches(marks):
            table.write_batch(arrow.RecordBatch.from_pylist(rows, schema=schema))
            count += len(rows)
    return count


def batches(marks: Iterable[Kept]) -> Generator[list[Row]]:
    """Return rows in lists that are bounded in number and in bytes of text."""
    rows, size = list[Row](), 0
    for kept in marks:
        row = row_of(kept)
        rows.append(row)
        size += sum(len(value) for value in row.values() if isinstance(value, str))
        if len(rows) >= BATCH_ROWS or size >= BATCH_BYTES:
            yield rows
            rows, size = [], 0
    if rows:
        yield rows


def row_of(kept: Kept) -> Row:
    """Return a mark as one flat row; its payload is JSON text. Missing fields are missing."""
    mark = kept.mark
    row: Row = {
        name: cell(getattr(mark, name)) for name in COLUMNS if getattr(mark, name, None) is not None
    }
    position = {"sequence": kept.sequence, "state": kept.state, "superseded_by": kept.superseded_by}
    payload = next((getattr(mark, name) for name in PAYLOADS if hasattr(mark, name)), None)
    if payload is not None:
        row["payload"] = msgspec.json.encode(payload).decode()
    return row | position


def cell(value: Any) -> Any:
    """Return a field's value as a column holds it."""
    if isinstance(value, UUID):
        return str(value)
    return str(getattr(value, "value", value)) if isinstance(value, str) else value


@contextmanager
def replacing(path: Path) -> Generator[BinaryIO]:
    """Write a file that appears in one step when the context ends well, and else not at all.

    Missing folders are made, as everywhere for a file that a person named.

    Raises:
        SpaceUsageError: There can be no file of that name.
    """
    if blocking := in_the_way(path.parent):
        raise SpaceUsageError(f"{path}: {blocking} is no folder; name another place")
    if path.exists() and not path.is_file():
        raise SpaceUsageError(f"{path} is no regular file; name another")
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
