"""Random ids. The standard `uuid4` takes five times as long, and every mark needs two."""

import os
from functools import lru_cache
from uuid import UUID, SafeUUID

VARIANT_AND_VERSION = ~((0xC000 << 48) | (0xF000 << 64))
RFC_4122_V4 = (0x8000 << 48) | (4 << 76)
NEW, SET, UNKNOWN = object.__new__, object.__setattr__, SafeUUID.unknown


def new_id() -> UUID:
    """Return a random UUID of version 4, from the system's random source."""
    number = int.from_bytes(os.urandom(16)) & VARIANT_AND_VERSION | RFC_4122_V4
    new = NEW(UUID)
    SET(new, "int", number)
    SET(new, "is_safe", UNKNOWN)
    return new


@lru_cache(maxsize=4096)
def id_text(name: UUID) -> str:
    """Return an id as text; the same few agents are named over and over."""
    return str(name)
