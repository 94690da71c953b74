"""Whether audit.jsonl, which people read, says what the space says."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from evolution.files import canonical_json


class _Dated(msgspec.Struct):
    recorded_utc: str = ""


def noted_lines(audit: Path) -> list[bytes]:
    """The lines of audit.jsonl that were written whole; none where there is no file."""
    if not audit.is_file():
        return []
    return audit.read_bytes().split(b"\n")[:-1]


def differences(
    noted: list[bytes], records: Sequence[dict[str, Any]], *, is_finished: bool
) -> Iterator[str]:
    """Find lines that the space does not have, and records that the file does not have.

    Args:
        noted: The lines of the file, read before the records.
        records: What the space has.
        is_finished: Whether the file is complete; else the newest records may still be missing.
    """
    by_line = {canonical_json(record): record for record in records}
    told, written = Counter(map(canonical_json, records)), Counter(noted)
    for line in written - told:
        yield f"audit.jsonl says what the space does not: {line.decode('utf-8', 'replace')[:200]}"
    newest = max(map(_when, noted), default="")
    for line in told - written:
        if is_finished or _when(line) < newest:
            yield "audit.jsonl lacks: {agent} gen {generation} {what}".format(**by_line[line])


def _when(line: bytes) -> str:
    try:
        return msgspec.json.decode(line, type=_Dated).recorded_utc
    except msgspec.MsgspecError:  # no line of ours
        return ""
