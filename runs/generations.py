"""The generations of one agent from its folder: `gen_<n>/metadata.json` and the code in `repo/`.

Published runs have nothing else; of a run of ours that has lost its space, this is what is left.
"""

import os
import re
from collections import Counter
from pathlib import Path
from typing import Final

import msgspec

from evolution.files import canonical_json, files_below, sha256_hex
from evolution.state.folder import TRACE
from runs.files import ReadingNotes, TextFile, inner, number, truth, whole, words
from runs.ours import META, TASK, was_edited
from runs.records import Generation
from runs.trace import TraceFile

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


def read_generations(root: Path, agent: Path, notes: ReadingNotes) -> tuple[Generation, ...]:
    """Read an agent's generations in order.

    Args:
        root: The run's folder, to which names of traces are relative.
        agent: The agent's folder.
        notes: Where to say what cannot be read; such generations have `is_scored` False.
    """
    meta_hashes: dict[int, str | None] = {}
    rows = [
        _read(root, folder, at, meta_hashes, notes)
        for at, folder in generation_folders(agent).items()
    ]
    times = Counter(row.code_sha256 for row in rows)
    return tuple(_with_whole_code(agent, row, times[row.code_sha256], notes) for row in rows)


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
    notes: ReadingNotes,
) -> Generation:
    """Read a generation with the hash of task_agent.py alone; its other texts stay unread."""
    fields = notes.object_of(folder / "metadata.json")
    valid = truth(fields, "valid")
    if fields and valid is None:
        notes.add(folder / "metadata.json", "does not say whether it is valid")
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
        task=TextFile(folder / "repo" / TASK),
        meta=TextFile(folder / "repo" / META),
        trace=TraceFile(folder / TRACE, str((folder / TRACE).relative_to(root))),
    )
    if not row.is_scored:
        return row
    code = notes.bytes_of(folder / "repo" / TASK, needed=False)
    meta_hashes[at] = _hash(folder / "repo" / META, notes)
    # Published paired runs do not say where code came from, and go on from the previous.
    origin = row.origin if row.origin is not None or at == 0 else at - 1
    return msgspec.structs.replace(
        row,
        code_bytes=None if code is None else len(code),
        code_sha256=None if code is None else sha256_hex(code),
        meta_edited=was_edited(meta_hashes, row, origin),
    )


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
    hashes = {path: _hash(repo / path, notes) for path in paths}
    return None if None in hashes.values() else sha256_hex(canonical_json(hashes))


def _hash(path: Path, notes: ReadingNotes) -> str | None:
    data = notes.bytes_of(path, needed=False)
    return None if data is None else sha256_hex(data)
