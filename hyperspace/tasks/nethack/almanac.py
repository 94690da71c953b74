"""Keeps the date out of the game, which reads it: moon, Friday the 13th, night, shopkeepers' names.

NetHack asks the C library for the local time; a time zone of its own keeps that by day, on a day on
which nothing is special. Shopkeepers' names are made of the second in which the game began, which
does not go through the zone, and is set to zero.
"""

import _ctypes
import ctypes
import os
import struct
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from time import time

MORNING = datetime(2026, 1, 7, 6, tzinfo=UTC)
"""Of a Wednesday between two phases of the moon that count."""

_DAYTIME = timedelta(hours=12)
_REPEATS = 250  # a zone holds at most 256 offsets
_SLACK_S = 3600  # before now, for a clock that is set back


@lru_cache(maxsize=1)
def stay_in_daytime(morning: datetime = MORNING) -> None:
    """Keep the local time of this process within twelve hours of a morning, for 125 days.

    It holds for what asks the C library from now on. The zone is a file in memory in the format of
    RFC 9636, whose offset changes every twelve hours.
    """
    zone = os.memfd_create("daytime")
    os.write(zone, _zone(morning, int(time()) - _SLACK_S))
    os.environ["TZ"] = f":/proc/self/fd/{zone}"


def forget_the_start(library: str) -> None:
    """Set the second in which a game began to zero.

    Args:
        library: Path by which the game loaded NetHack.
    """
    loaded = ctypes.CDLL(library)
    ctypes.c_long.in_dll(loaded, "ubirthday").value = 0
    _ctypes.dlclose(loaded._handle)  # the game's own handle stays


def _zone(morning: datetime, start: int) -> bytes:
    """A zone file of version 2, whose part for readers of version 1 is empty."""
    step = round(_DAYTIME.total_seconds())
    starts = [start + step * number for number in range(_REPEATS)]
    offsets = [round(morning.timestamp()) - begin for begin in starts]
    name = b"DAY\0"
    kinds = b"".join(struct.pack(">lBB", offset, 0, 0) for offset in offsets)
    return b"".join(
        [
            _header(0, 1, len(name)) + struct.pack(">lBB", 0, 0, 0) + name,
            _header(_REPEATS, _REPEATS, len(name)),
            struct.pack(f">{_REPEATS}q", *starts),
            bytes(range(_REPEATS)),
            kinds + name,
            b"\n\n",
        ]
    )


def _header(changes: int, kinds: int, letters: int) -> bytes:
    return b"TZif2" + bytes(15) + struct.pack(">6l", 0, 0, 0, changes, kinds, letters)
