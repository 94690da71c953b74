"""Random ids. The standard `uuid4` takes five times as long, and every mark needs two."""

import os
from uuid import UUID, SafeUUID

VARIANT_AND_VERSION = ~((0xC000 << 48) | (0xF000 << 64))
RFC_4122_V4 = (0x8000 << 48) | (4 << 76)


def new_id() -> UUID:
    """Return a random UUID of version 4, from the system's random source."""
    number = int.from_bytes(os.urandom(16)) & VARIANT_AND_VERSION | RFC_4122_V4
    new = object.__new__(UUID)
    object.__setattr__(new, "int", number)
    object.__setattr__(new, "is_safe", SafeUUID.unknown)
    return new
