"""Graphics cards of the host that code in a sandbox may use: which there are, and what they need.

Code that is given a card sees the device files of that card and of its driver, and the driver's
libraries. The driver's interface is then open to it, which no filter of ours reads: a card is given
to code of an environment that asks for one, and to no other code.
"""

import os
import re
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from guards.sandboxes.asking import asked
from guards.sandboxes.bubblewrap.confinement import DRIVER, SYSTEM_FOLDERS
from guards.sandboxes.host_things import refuse_cards
from guards.sandboxes.sandbox import SandboxUnavailable

VISIBLE: Final = "CUDA_VISIBLE_DEVICES"
DEVICES: Final = Path("/dev")
SHARED: Final = ("nvidiactl", "nvidia-uvm")  # what every card of this maker needs beside its own
_CARD: Final = re.compile(r"nvidia(\d+)")
_LIBRARY: Final = "libcuda.so.1"
_PROBE: Final = """
import ctypes, sys
ctypes.CDLL(sys.argv[1])
print(next(line.split()[-1] for line in open("/proc/self/maps") if "libcuda.so" in line))
"""


def visible_cards(devices: Path = DEVICES) -> tuple[int, ...]:
    """Numbers of the cards that we may use: all of the machine, or those that a variable names.

    Args:
        devices: Where device files are.

    Raises:
        SandboxUnavailable: `CUDA_VISIBLE_DEVICES` names none by its number.
    """
    found = (_CARD.fullmatch(path.name) for path in devices.glob("nvidia*"))
    there = sorted(int(match[1]) for match in found if match)
    named = os.environ.get(VISIBLE)
    if named is None:
        return tuple(there)
    try:
        ours = set(map(int, filter(None, named.split(","))))
    except ValueError as error:
        raise SandboxUnavailable(
            f"{VISIBLE} is {named!r}, and sandboxes find cards by their numbers; set it to numbers "
            "with commas between them, or leave it unset"
        ) from error
    return tuple(number for number in there if number in ours)


def require_card(sandbox: str) -> None:
    """Find a card and its driver before anything starts that needs one.

    Raises:
        SandboxUnavailable: There is none, or the sandbox can have none.
    """
    refuse_cards(sandbox, [0])
    if not visible_cards():
        raise SandboxUnavailable(
            f"a graphics card is needed, and this machine has none that can be used ({DEVICES} has "
            f"no nvidia0, or {VISIBLE} names none); take another machine, or an environment that "
            "needs none"
        )
    driver_binds()


def device_files(cards: Sequence[int]) -> tuple[str, ...]:
    """Device files that code needs which uses cards; none for no card."""
    if not cards:
        return ()
    return tuple(f"{DEVICES}/{name}" for name in (*SHARED, *(f"nvidia{card}" for card in cards)))


@cache
def driver_binds() -> dict[str, str]:
    """Path inside of the driver's libraries, to their folder; empty where all sandboxes see it.

    Raises:
        SandboxUnavailable: They are not where a program finds them.
    """
    command = [sys.executable, "-I", "-S", "-c", _PROBE, _LIBRARY]
    failed = f"{_LIBRARY} of the graphics card's driver cannot be loaded"
    folder = Path(os.fsdecode(asked(command, _LIBRARY, failed)).strip()).parent
    if any(folder.is_relative_to(each) for each in SYSTEM_FOLDERS):
        return {}
    return {DRIVER: str(folder)}
