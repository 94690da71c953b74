"""What appeared in a run last, a line each."""

from typing import Final, NamedTuple

LATEST_MARKS: Final = 12


class LatestMark(NamedTuple):
    """A mark that appeared.

    Attributes:
        sequence: Its place in the order of commits.
        text: It on one line: as `hyperspace space marks` prints it, or what an idea came to.
    """

    sequence: int
    text: str
