"""The file of what models of a run do not take: what one process has learnt, the next one knows."""

from pathlib import Path

import msgspec

from agents.models.request_fields import Adaptation
from agents.tracing.line_file import LineFile
from guards.scope.regular_files import Unreadable, read_whole

MOST_LINES = 10_000


def read_adaptations(path: Path) -> tuple[Adaptation, ...]:
    """Read the file; lines that are none of ours count for nothing, as does a file that is none."""
    try:
        lines = read_whole(path).splitlines()
    except (OSError, Unreadable):
        return ()
    adaptations = list[Adaptation]()
    for line in lines[:MOST_LINES]:
        try:
            adaptations.append(msgspec.json.decode(line, type=Adaptation))
        except msgspec.MsgspecError:
            continue
    return tuple(adaptations)


def append_adaptation(path: Path, adaptation: Adaptation) -> bool:
    """Write an adaptation down; False if it was there.

    Raises:
        OSError: It could not be written.
    """
    if adaptation.key in {each.key for each in read_adaptations(path)}:
        return False
    with LineFile(path) as file:
        file.append(msgspec.json.encode(adaptation) + b"\n")
        file.sync()
    return True
