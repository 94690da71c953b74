"""Random ids, made in stocks: the standard `uuid4` takes five times as long, a mark needs three."""

import os
from functools import lru_cache
from uuid import UUID

import msgspec

from markspace.errors import ValidationError

STOCK = 128
VERSION_4 = bytes(byte & 0x0F | 0x40 for byte in range(256))
VARIANT_1 = bytes(byte & 0x3F | 0x80 for byte in range(256))
ID, ARRAY = b"\xc4\x10", b"\xdc" + STOCK.to_bytes(2)  # MessagePack: 16 bytes; that many items
SIZE = len(ID) + 16
DECODER = msgspec.msgpack.Decoder(list[UUID])


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
        first, *rest = fresh_ids()
        self._stock.extend(rest)
        return first


def fresh_ids() -> list[UUID]:
    """Return a stock of random UUIDs of version 4, decoded: no other way is as fast."""
    data = bytearray(os.urandom(SIZE * STOCK))
    data[0::SIZE], data[1::SIZE] = ID[:1] * STOCK, ID[1:] * STOCK
    data[8::SIZE] = data[8::SIZE].translate(VERSION_4)
    data[10::SIZE] = data[10::SIZE].translate(VARIANT_1)
    return DECODER.decode(ARRAY + data)


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
