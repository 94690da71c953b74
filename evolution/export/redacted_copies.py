"""What may lie in a run folder in place of a file that was closed: said words taken out, no more.

A trace that was not kept leaves its hash (`evolution.export.retention`); a redacted export names
both hashes of what it changed (`evolution.export.packing`). Code and predictions have no stand-ins.
"""

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
        try:
            packed = msgspec.json.decode((folder.root / EXPORT).read_bytes(), type=_Export).files
        except (OSError, msgspec.MsgspecError):  # no export, or none that says anything
            packed = ()
        self._copies = {file.path: file for file in packed if file.original_sha256 is not None}

    def explains(self, folder: Path, path: str, closed: str, actual: str | None) -> bool:
        """Return whether the file at a path is a known copy of what was closed there.

        Args:
            folder: Folder of the generation.
            path: Path within it.
            closed: Hash in the closing mark.
            actual: Hash of what lies there; None if nothing does.
        """
        if path.startswith(_NEVER):
            return False
        if actual is None:
            try:
                dropped = msgspec.json.decode((folder / DROPPED).read_bytes(), type=Dropped).sha256
            except (OSError, msgspec.MsgspecError):  # not dropped, or nobody says what it was
                return False
            return path == TRACE and dropped == closed
        packed = self._copies.get((folder / path).relative_to(self._root).as_posix())
        return packed is not None and (packed.original_sha256, packed.sha256) == (closed, actual)
