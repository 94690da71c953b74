"""What may lie in a run folder in place of a file that was closed: said words taken out, no more.

A trace that was not kept leaves its hash (`evolution.export.retention`); a redacted export names
both hashes of what it changed (`evolution.export.packing`). Code and predictions have no stand-ins.
"""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from evolution.export.packing import EXPORT, Packed
from evolution.export.retention import Dropped
from evolution.state.folder import DROPPED, TRACE, RunFolder

_NEVER = ("repo/", "eval_")  # code, and what was predicted and scored


class _Export(msgspec.Struct):
    files: tuple[Packed, ...] = ()


class RedactedCopies:
    """Tells whether a file that differs from the closed one stands in for it.

    Args:
        folder: The run's.
    """

    def __init__(self, folder: RunFolder) -> None:
        self._root = folder.root
        self._redacted = _redacted(folder.root / EXPORT)

    def explains(self, place: Path, path: str, closed: str, found: str | None) -> bool:
        """Say whether what is found at a path is known to stand for what was closed there.

        Args:
            place: Folder of the generation.
            path: Path within it.
            closed: Hash in the closing mark.
            found: Hash of what lies there; None if nothing does.
        """
        if path.startswith(_NEVER):
            return False
        if found is None:
            return path == TRACE and _dropped(place / DROPPED) == closed
        known = self._redacted.get((place / path).relative_to(self._root).as_posix())
        return known is not None and (known.original_sha256, known.sha256) == (closed, found)


def _redacted(export: Path) -> Mapping[str, Packed]:
    try:
        packed = msgspec.json.decode(export.read_bytes(), type=_Export).files
    except (OSError, msgspec.MsgspecError):  # no export, or none that says anything
        return {}
    return {file.path: file for file in packed if file.original_sha256 is not None}


def _dropped(note: Path) -> str | None:
    try:
        return msgspec.json.decode(note.read_bytes(), type=Dropped).sha256
    except (OSError, msgspec.MsgspecError):  # not dropped, or nobody says what it was
        return None
