"""Which version of this program is installed: its own code, by content."""

import platform
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

_MARK: Final = b"# hyperspace: "  # how `__init__.py` of each package begins (hyperspace/start.py)
_SHORT: Final = 12


class ProgramVersion(NamedTuple):
    """What must be equal wherever jobs of one coordinator are played.

    Attributes:
        python: Version of Python.
        code: Hash of the program's code.
    """

    python: str
    code: str


@cache
def installed() -> ProgramVersion:
    """Return the version of what runs here."""
    root = Path(__file__).resolve().parents[1]
    total = sha256()
    for init in sorted(root.glob("*/__init__.py")):
        if not init.read_bytes().startswith(_MARK):
            continue
        for path in sorted(init.parent.rglob("*.py")):
            data = path.read_bytes()
            total.update(f"{path.relative_to(root)} {len(data)}\n".encode() + data)
    return ProgramVersion(platform.python_version(), total.hexdigest()[:_SHORT])
