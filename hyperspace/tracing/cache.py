"""Replies kept across runs, by what was asked: an equal call is not paid twice.

A key is the hash of (model's name and address, canonical request, purpose with item, repeat). The
repeat counts equal requests for one purpose and item within one generation, so that sampling again
stays sampling: the second sample of a run is the second sample of the next, whichever item was
faster. One file a reply, written beside and renamed, so that any number of processes may share a
folder and be killed at any moment.
"""

import os
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from guards.parsing import UNDECODABLE
from hyperspace.messages import ChatReply, sha256_of

_SHARED: Final = 0.9  # pruning leaves this part of the bound, so that it is rarely needed
_LOOK_EVERY: Final = 0.1  # part of the bound that may be written between two looks
_STALE_S: Final = 3600.0  # no write takes that long: its process was killed
_DECODER: Final = msgspec.json.Decoder(ChatReply)


class CacheKey(NamedTuple):
    """The key of a cached reply.

    Attributes:
        model: The model's full name, and the address that it was asked at.
        request_sha256: Hash of the canonical request.
        purpose: What the call was for, its item included.
        repeat: How often this was asked before within the generation, from 0.
    """

    model: str
    request_sha256: str
    purpose: str
    repeat: int


class _Kept(NamedTuple):
    used: float
    size: int
    path: Path


class ReplyCache:
    """A folder of replies.

    Attributes:
        folder: Where they lie; made on demand, readable by its owner alone.
    """

    def __init__(self, folder: Path, max_bytes: int | None = None) -> None:
        """Open a cache; one that is over its bound loses what was not used for longest.

        Args:
            folder: Where replies lie.
            max_bytes: Bound on all files together; None sets none.
        """
        self.folder = folder
        self._max_bytes = max_bytes
        self._written = 0
        self._numbers = count()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.prune()

    def get(self, key: CacheKey) -> ChatReply | None:
        """Find a reply; None where there is none, or none that can be read."""
        path = self._path(key)
        try:
            reply = _DECODER.decode(path.read_bytes())
            os.utime(path)
        except (OSError, *UNDECODABLE):
            return None
        return reply

    def put(self, key: CacheKey, reply: ChatReply) -> None:
        """Keep a reply.

        Raises:
            OSError: It cannot be written.
        """
        path = self._path(key)
        path.parent.mkdir(exist_ok=True, mode=0o700)
        beside = path.with_name(f"{path.name}.{os.getpid()}.{next(self._numbers)}.tmp")
        data = msgspec.json.encode(reply)
        try:
            beside.write_bytes(data)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
        self._written += len(data)
        if self._max_bytes is not None and self._written > self._max_bytes * _LOOK_EVERY:
            self._written = 0
            self.prune()

    def prune(self) -> None:
        """Delete what was not used for longest, until the bound holds again."""
        kept = sorted(self._files())
        size = sum(file.size for file in kept)
        if self._max_bytes is None or size <= self._max_bytes:
            return
        for file in kept:
            file.path.unlink(missing_ok=True)
            size -= file.size
            if size <= self._max_bytes * _SHARED:
                return

    def _files(self) -> Iterator[_Kept]:
        """Every reply; what a killed process has left half written is deleted."""
        for path in self.folder.glob("??/*"):
            try:
                status = path.stat()
            except FileNotFoundError:  # another process prunes too
                continue
            if path.suffix == ".json":
                yield _Kept(status.st_mtime, status.st_size, path)
            elif path.suffix == ".tmp" and time.time() - status.st_mtime > _STALE_S:
                path.unlink(missing_ok=True)

    def _path(self, key: CacheKey) -> Path:
        name = sha256_of(key)
        return self.folder / name[:2] / f"{name}.json"
