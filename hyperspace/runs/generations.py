"""The generations of one agent from its folder: `gen_<n>/metadata.json` and the code in `repo/`.

Published runs have nothing else; of a run of ours that has lost its space, this is what is left.
"""

import os
import re
from collections import Counter
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from hyperspace.kernel.files import canonical_json, files_below, sha256_hex, written_name
from hyperspace.kernel.state.folder import TRACE
from hyperspace.runs.files import (
    META,
    TASK,
    HeldText,
    ReadingNotes,
    StoredText,
    TextFile,
    inner,
    number,
    truth,
    whole,
    words,
)
from hyperspace.runs.records import Generation
from hyperspace.runs.trace import TraceFile

MOST_HELD_BYTES: Final = 32_000_000  # of one agent: 240 generations of the largest published size
_FOLDER: Final = re.compile(r"gen_(0|[1-9][0-9]{0,8})")


def generation_folders(agent: Path) -> dict[int, Path]:
    """Return the folders of an agent's generations by number, ascending; links are none."""
    with os.scandir(agent) as entries:
        matches = [(_FOLDER.fullmatch(entry.name), entry) for entry in entries]
        folders = {
            int(match[1]): Path(entry.path)
            for match, entry in matches
            if match and entry.is_dir(follow_symlinks=False)
        }
    return dict(sorted(folders.items()))


def read_generations(
    root: Path, agent: Path, notes: ReadingNotes, *, most_held_bytes: int = 0
) -> tuple[Generation, ...]:
    """Read an agent's generations in order.

    Args:
        root: The run's folder, to which names of traces are relative.
        agent: The agent's folder.
        notes: Where to say what cannot be read; such generations have `is_scored` False.
        most_held_bytes: How much of the code that is read on the way is kept.
    """
    meta_hashes: dict[int, str | None] = {}
    code = _Code(notes, most_held_bytes)
    rows = [
        _read(root, folder, at, meta_hashes, code)
        for at, folder in generation_folders(agent).items()
    ]
    times = Counter(row.code_sha256 for row in rows)
    return tuple(_with_whole_code(agent, row, times[row.code_sha256], notes) for row in rows)


class _Code:
    """Reads the code of one agent, and holds it as far as allowed.

    Args:
        notes: Where to say what cannot be read.
        most_bytes: How much of it is held.
    """

    def __init__(self, notes: ReadingNotes, most_bytes: int) -> None:
        self.notes = notes
        self._bytes_left = most_bytes

    def read(self, path: Path) -> "_CodeFile":
        """Read a file; without content if that cannot be done."""
        content = self.notes.bytes_of(path, needed=False)
        if content is None or len(content) > self._bytes_left:
            return _CodeFile(content, TextFile(path))
        self._bytes_left -= len(content)
        return _CodeFile(content, HeldText(content.decode("utf-8", "replace"), len(content)))


class _CodeFile(NamedTuple):
    content: bytes | None
    text: StoredText

    @property
    def sha256(self) -> str | None:
        return None if self.content is None else sha256_hex(self.content)


def direction_of(agent: Path, notes: ReadingNotes) -> bool | None:
    """Return whether higher scores are better, as the first report that there is says."""
    for folder in generation_folders(agent).values():
        for split in ("train", "val"):
            report = notes.object_of(folder / f"eval_{split}" / "report.json", needed=False)
            if report:
                return truth(report, "higher_is_better")
    return None


def _read(
    root: Path,
    folder: Path,
    at: int,
    meta_hashes: dict[int, str | None],
    code: _Code,
) -> Generation:
    """Read a generation with the hash of task_agent.py alone."""
    fields = code.notes.object_of(folder / "metadata.json")
    valid = truth(fields, "valid")
    if fields and valid is None:
        code.notes.add(folder / "metadata.json", "does not say whether it is valid")
    repo, trace = folder / "repo", folder / TRACE
    is_tournament = bool(fields.get("tournament"))
    row = Generation(
        generation=at,
        parent=whole(fields, "parent"),
        forked_from=whole(fields, "forked_from"),
        valid=bool(valid),
        error=words(fields, "error"),
        train=number(fields, "train_score"),
        val=number(fields, "val_score"),
        fitness=number(fields, "fitness"),
        ensemble=number(inner(fields, "ensemble"), "val_score"),
        full_eval=truth(fields, "run_full_eval"),
        # Published metadata has the winner beside the flag, ours once had it in a record.
        winner=words(inner(fields, "tournament") or fields, "winner") if is_tournament else "",
        is_scored=valid is not None,
        task=TextFile(repo / TASK),
        meta=TextFile(repo / META),
        trace=TraceFile(trace, str(trace.relative_to(root))),
    )
    if not row.is_scored:
        return row
    task, meta = code.read(repo / TASK), code.read(repo / META)
    meta_hashes[at] = meta.sha256
    # Published paired runs do not say where code came from, and go on from the previous.
    origin = row.origin if row.origin is not None or at == 0 else at - 1
    return msgspec.structs.replace(
        row,
        task=task.text,
        meta=meta.text,
        code_bytes=None if task.content is None else len(task.content),
        code_sha256=task.sha256,
        meta_edited=was_edited(meta_hashes, row, origin),
    )


def was_edited(hashes: dict[int, str | None], row: Generation, origin: int | None) -> bool | None:
    """Return whether a generation's file has another hash than that of the one it came from."""
    here, there = hashes.get(row.generation), None if origin is None else hashes.get(origin)
    return None if here is None or there is None else here != there


def _with_whole_code(agent: Path, row: Generation, times: int, notes: ReadingNotes) -> Generation:
    """Hash all files: an agent may edit any, so an equal task_agent.py is not yet equal code."""
    repeated = row.code_sha256 is not None and row.rank is not None and times > 1
    code = _code_hash(agent / f"gen_{row.generation}" / "repo", notes) if repeated else None
    return msgspec.structs.replace(row, code_sha256=code)


def _code_hash(repo: Path, notes: ReadingNotes) -> str | None:
    """Hash the name and the content of every file; None if one of them cannot be read."""
    try:
        paths = files_below(repo)
    except OSError:
        return None
    hashes = {written_name(path): _hash(repo / path, notes) for path in paths}
    return None if None in hashes.values() else sha256_hex(canonical_json(hashes))


def _hash(path: Path, notes: ReadingNotes) -> str | None:
    data = notes.bytes_of(path, needed=False)
    return None if data is None else sha256_hex(data)
