"""Libraries of others that pages load, as they were taken: `make vendor` takes them again.

`list.json` beside this file says of each file what it is and what its SHA-256 is; a test compares.
"""

from importlib import resources
from typing import Final

import msgspec

_LIST: Final = "list.json"


class VendoredFile(msgspec.Struct, frozen=True):
    """A file of a library.

    Attributes:
        path: Below this folder.
        sha256: Of its content.
    """

    path: str
    sha256: str

    @property
    def name(self) -> str:
        """What addresses call it."""
        return self.path.rpartition("/")[2]


class VendoredLibrary(msgspec.Struct, frozen=True):
    """A library that was taken.

    Attributes:
        name: On the npm registry.
        version: Which.
        licence: By its SPDX name.
        integrity: Hash of its package, in the registry's form.
        files: What of it is kept.
    """

    name: str
    version: str
    licence: str
    integrity: str
    files: tuple[VendoredFile, ...]


def libraries() -> tuple[VendoredLibrary, ...]:
    """Return every library with its files."""
    data = resources.files(__package__ or "").joinpath(_LIST).read_bytes()
    return msgspec.json.decode(data, type=tuple[VendoredLibrary, ...])


def content(name: str) -> bytes:
    """Return a file by what addresses call it.

    Raises:
        FileNotFoundError: There is none of this name.
    """
    for library in libraries():
        for file in library.files:
            if file.name == name:
                return resources.files(__package__ or "").joinpath(file.path).read_bytes()
    raise FileNotFoundError(name)
