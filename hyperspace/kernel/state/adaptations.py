"""The file of what models of a run do not take: what one process has learnt, the next one knows."""

from pathlib import Path

from hyperspace.kernel.state.line_records import append_line, read_lines
from hyperspace.models.request_fields import Adaptation


def append_adaptation(path: Path, adaptation: Adaptation) -> bool:
    """Write an adaptation down; False if it was there.

    Raises:
        OSError: It could not be written.
    """
    if adaptation.key in {each.key for each in read_lines(path, Adaptation)}:
        return False
    append_line(path, adaptation)
    return True
