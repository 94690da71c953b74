"""Which version of this program is installed: its own code, by content."""

import platform
from functools import cache
from hashlib import sha256
from typing import Final, NamedTuple

from hyperspace.own_files import PACKAGES, ROOT, agent_files

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
    total = sha256()
    folders = {name: ROOT / name for name in PACKAGES} | {"agents": agent_files()}
    for name, folder in folders.items():
        for path in sorted(folder.rglob("*.py")):
            below = path.relative_to(folder)
            if name == "hyperspace" and below.parts[0] == "agents":
                continue  # as it is installed, where a checkout has them beside it
            data = path.read_bytes()
            total.update(f"{name} {below} {len(data)}\n".encode() + data)
    return ProgramVersion(platform.python_version(), total.hexdigest()[:_SHORT])
