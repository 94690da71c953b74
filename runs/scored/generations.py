"""The generations of one agent from its folder: `gen_<n>/metadata.json` and the code in `repo/`.

Our run folders are a superset of the published ones, so one reader serves all.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, cast

import msgspec

from evolution.files import canonical_json, files_below, sha256_hex
from runs.scored.files import Notes, number, read_bytes, read_object, truth, whole
from runs.scored.records import Generation, Tournament

_FOLDER: Final = re.compile(r"gen_(0|[1-9][0-9]{0,8})")


def generation_folders(agent: Path) -> dict[int, Path]:
    """Return the folders of an agent's generations by number, ascending."""
    with os.scandir(agent) as entries:
        matches = [(_FOLDER.fullmatch(entry.name), entry) for entry in entries]
        found = {int(match[1]): entry.path for match, entry in matches if match and entry.is_dir()}
    return {at: Path(found[at]) for at in sorted(found)}


def read_generations(agent: Path, notes: Notes) -> Iterator[Generation]:
    """Read an agent's generations in order; those without readable metadata are left out, noted."""
    found = list(_read(agent, notes))
    times = Counter(one.code_sha256 for one in found)
    for one in found:
        repeated = one.rank is not None and times[one.code_sha256] > 1
        repo = agent / f"gen_{one.generation}" / "repo"
        # An agent may edit any file, not only this one; where this one is new, so is the whole.
        code = _code_hash(repo, notes) if repeated and one.code_sha256 else None
        yield msgspec.structs.replace(one, code_sha256=code)


def _read(agent: Path, notes: Notes) -> Iterator[Generation]:
    """Read generations with the hash of task_agent.py alone."""
    meta: dict[int, str | None] = {}
    for at, folder in generation_folders(agent).items():
        fields = read_object(folder / "metadata.json", notes)
        if truth(fields, "valid") is None:
            if fields:
                notes.add(folder / "metadata.json", "does not say whether it is valid")
            continue
        meta[at] = _hash(folder / "repo" / "meta_agent.py", notes)
        yield _generation(at, fields, folder, meta, notes)


def direction_of(agent: Path, notes: Notes) -> bool | None:
    """Return whether higher scores are better, as the first report that there is says."""
    for folder in generation_folders(agent).values():
        for split in ("train", "val"):
            report = read_object(folder / f"eval_{split}" / "report.json", notes, needed=False)
            if report:
                return truth(report, "higher_is_better")
    return None


def _generation(
    at: int, fields: dict[str, Any], folder: Path, meta: dict[int, str | None], notes: Notes
) -> Generation:
    parent = whole(fields, "parent")
    forked_from = whole(fields, "forked_from")
    code = read_bytes(folder / "repo" / "task_agent.py", notes, needed=False)
    return Generation(
        generation=at,
        parent=parent,
        forked_from=forked_from,
        valid=fields["valid"],
        train=number(fields, "train_score"),
        val=number(fields, "val_score"),
        fitness=number(fields, "fitness"),
        ensemble=_ensemble(fields),
        full_eval=truth(fields, "run_full_eval"),
        tournament=_tournament(fields),
        code_bytes=None if code is None else len(code),
        code_sha256=None if code is None else sha256_hex(code),
        meta_edited=_edited(meta, at, _origin(at, parent, forked_from)),
    )


def _code_hash(repo: Path, notes: Notes) -> str | None:
    """Hash the name and the content of every file; None if one of them cannot be read."""
    try:
        paths = files_below(repo)
    except OSError:
        return None
    hashes = {path: _hash(repo / path, notes) for path in paths}
    return None if None in hashes.values() else sha256_hex(canonical_json(hashes))


def _origin(at: int, parent: int | None, forked_from: int | None) -> int | None:
    """Where the code came from; published paired runs do not say, and go on from the previous."""
    told = parent if forked_from is None else forked_from
    return told if told is not None or at == 0 else at - 1


def _edited(meta: dict[int, str | None], at: int, origin: int | None) -> bool | None:
    if origin is None or meta[at] is None or meta.get(origin) is None:
        return None
    return meta[at] != meta[origin]


def _tournament(fields: dict[str, Any]) -> Tournament | None:
    # Published metadata has the fields beside the flag, ours has one record; both are read.
    inner = fields.get("tournament")
    source = cast("dict[str, Any]", inner) if isinstance(inner, dict) else fields
    winner = source.get("winner")
    if not inner or not isinstance(winner, str):
        return None
    return Tournament(
        winner=winner,
        blind_score=number(source, "blind_score"),
        directed_score=number(source, "directed_score"),
    )


def _ensemble(fields: dict[str, Any]) -> float | None:
    inner = fields.get("ensemble")
    return number(cast("dict[str, Any]", inner), "val_score") if isinstance(inner, dict) else None


def _hash(path: Path, notes: Notes) -> str | None:
    data = read_bytes(path, notes, needed=False)
    return None if data is None else sha256_hex(data)
