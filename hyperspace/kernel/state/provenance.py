"""What stands behind run_config.json: versions to cite a run by, and a hash of each of its fields.

The coordinator puts the hashes on record in the space before the file is there, so that the audit
chain holds them. A run that was begun by an earlier version has none.
"""

import os
import platform
import re
import subprocess
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any, Final

import msgspec

from hyperspace.kernel.files import canonical_json, sha256_hex
from hyperspace.kernel.state.marks import convert
from hyperspace.kernel.state.scopes import GENERATIONS
from hyperspace.own_files import ROOT
from markspace import Action, MarkSpace, MarkType
from markspace.extras import DISTRIBUTION

_NAME = re.compile(r"[A-Za-z0-9._-]+")
RECORD_RESOURCE: Final = "record"
_NESTED: Final = "configuration"
_LATER: Final = "returned_models"  # known at the end alone, and told by the closing marks


class RecordHashes(msgspec.Struct, frozen=True):
    """Hashes of a run's record.

    Attributes:
        fields: SHA-256 of each field's canonical JSON, by name; those of the configuration have
            its name and a dot before theirs.
    """

    fields: dict[str, str]


def hashes_of_record(values: Mapping[str, Any]) -> RecordHashes:
    """Hash the fields of a record.

    Args:
        values: The content of run_config.json.
    """
    fields = {name: value for name, value in values.items() if name not in (_NESTED, _LATER)}
    fields |= {f"{_NESTED}.{name}": value for name, value in values[_NESTED].items()}
    return RecordHashes({name: sha256_hex(canonical_json(fields[name])) for name in sorted(fields)})


def recorded_hashes(space: MarkSpace) -> list[RecordHashes]:
    """Return what is on record, in order; the last is of the run as it is.

    Raises:
        RunDamaged: A mark is none of ours.
    """
    stored = space.read(GENERATIONS, resource=RECORD_RESOURCE, mark_type=MarkType.ACTION)
    marks = [mark for mark in stored if isinstance(mark, Action)]
    marks.sort(key=lambda mark: space.sequence_of(mark.id) or 0)
    return [convert(RecordHashes, mark.result) for mark in marks]


def versions() -> dict[str, str]:
    """Versions of this program, its commit if it is a checkout, Python and our packages."""
    named = {"hyperspace": _version(DISTRIBUTION), "commit": _commit()}
    named["python"] = platform.python_version()
    named["platform"] = platform.platform()
    named.update({name: _version(name) for name in _dependencies()})
    return named


def _dependencies() -> list[str]:
    """Names of what we depend on, extras left out."""
    try:
        wanted = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        return []
    needed = (line for line in wanted if "extra ==" not in line)
    return sorted(match.group() for line in needed if (match := _NAME.match(line)))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _commit() -> str:
    """The checkout's commit, marked `+changes` when files differ from it; empty without git."""
    if not (ROOT / ".git").exists():
        return ""
    try:
        commit = _git(ROOT, "rev-parse", "HEAD")
        return commit + ("+changes" if _git(ROOT, "status", "--porcelain") else "")
    except (OSError, subprocess.SubprocessError):
        return ""


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(
        # Somebody may commit meanwhile: a look at the changes must not hold the lock of the index.
        ["git", "--no-optional-locks", "-C", str(root), *arguments],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=True,
        timeout=10,
        # A checkout's configuration may start programs, and our environment may hold keys.
        env={name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
    )
    return done.stdout.strip()
