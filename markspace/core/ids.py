"""Random ids, made in stocks: the standard `uuid4` takes five times as long, a mark needs three."""

import os
import struct
from functools import lru_cache
from uuid import UUID, SafeUUID

from markspace.errors import ValidationError

STOCK = 128
VERSION_4 = bytes(byte & 0x0F | 0x40 for byte in range(256))
VARIANT_1 = bytes(byte & 0x3F | 0x80 for byte in range(256))
NEW, UNKNOWN = object.__new__, SafeUUID.unknown
SET_INT, SET_SAFETY = UUID.__dict__["int"].__set__, UUID.__dict__["is_safe"].__set__


class Ids:
    """A stock of random ids. Safe between threads; a forked process begins with an empty one."""

    def __init__(self) -> None:
        self._stock: list[UUID] = []
        self._is_fork_safe = False

    def next(self) -> UUID:
        """Return an id that nobody was given before."""
        try:
            return self._stock.pop()
        except IndexError:
            return self._restocked()

    def _restocked(self) -> UUID:
        if not self._is_fork_safe:
            os.register_at_fork(after_in_child=self._stock.clear)
            self._is_fork_safe = True
        first, *rest = fresh_ids(STOCK)
        self._stock.extend(rest)
        return first


def fresh_ids(count: int) -> list[UUID]:
    """Return random UUIDs of version 4, made without the checks of their constructor."""
    data = bytearray(os.urandom(16 * count))
    data[6::16] = data[6::16].translate(VERSION_4)
    data[8::16] = data[8::16].translate(VARIANT_1)
    halves = struct.unpack(f">{2 * count}Q", data)
    ids = [NEW(UUID) for _ in range(count)]
    for new, high, low in zip(ids, halves[::2], halves[1::2], strict=True):
        SET_INT(new, high << 64 | low)
        SET_SAFETY(new, UNKNOWN)
    return ids


new_id = Ids().next


def id_bytes(mark_id: UUID, field: str = "mark id") -> bytes:
    """Return a mark's id as the store has it.

    Raises:
        ValidationError: It is not an id.
    """
    if not isinstance(mark_id, UUID):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValidationError(f"{field}={mark_id!r} must be a UUID, such as a write returns")
    return mark_id.bytes


@lru_cache(maxsize=4096)
def id_text(name: UUID) -> str:
    """Return an id as text; the same few agents are named over and over."""
    return str(name)
