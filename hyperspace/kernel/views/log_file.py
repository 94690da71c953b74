"""Files of lines that people and tools read, made from the space as the run goes on.

Each closing notes how long these files were before it, and what they hashed to. So a start knows
by one hash whether a file still says what the space says, however long the run is.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from hyperspace.kernel.files import append_bytes, canonical_json, write_atomically
from hyperspace.kernel.state.manifest import PrefixHash


class LogFile:
    """One such file; only grows while a run is played.

    Attributes:
        path: Where it lies.
        is_cache: Whether it only saves work, so that nobody need be told when it is lost.
    """

    def __init__(self, path: Path, *, is_cache: bool = False) -> None:
        self.path = path
        self.is_cache = is_cache
        self._size_bytes = 0
        self._hash = hashlib.sha256()

    def prefix_hash(self) -> PrefixHash:
        """Size and hash of its content as it is now."""
        return PrefixHash(self._size_bytes, self._hash.hexdigest())

    def append(self, data: bytes) -> None:
        """Add whole lines."""
        if data:
            append_bytes(self.path, data)
            self.take_in(data)

    def content(self) -> bytes:
        """Return the file's content; empty where there is no file."""
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return b""

    def settle(self, expected: bytes) -> None:
        """Go on from a content; what the file lacks of it is added, another file is replaced."""
        present = self.content()
        if not expected.startswith(present) or not self.path.exists():
            write_atomically(self.path, expected)
        elif present != expected:
            append_bytes(self.path, expected[len(present) :])
        self._size_bytes, self._hash = 0, hashlib.sha256()
        self.take_in(expected)

    def take_in(self, data: bytes) -> None:
        """Note lines that are in the file already."""
        self._size_bytes += len(data)
        self._hash.update(data)


def lines_of(values: Iterable[object]) -> bytes:
    """Values as lines of canonical JSON."""
    return b"".join(canonical_json(value) + b"\n" for value in values)


def first_difference(actual: bytes, wanted: bytes) -> str:
    """Name the first line in which a file is not what it should be; empty if it is."""
    if actual == wanted:
        return ""
    if not actual:
        return "is missing or empty"
    pairs = zip(actual.split(b"\n"), wanted.split(b"\n"), strict=False)
    for number, (there, here) in enumerate(pairs, start=1):
        if there != here:
            how = "is cut off" if here.startswith(there) else "was changed"
            return f"{how} at line {number}"
    return "has lines too many"
