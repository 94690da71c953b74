"""Lines of a file that may be of any size, in bounded memory and time."""

from typing import BinaryIO, Final, NamedTuple

MOST_LINE_BYTES: Final = 1 << 25
"""What a longer line holds is not read."""
ENDLESS_BYTES: Final = 1 << 27
"""No end of a longer line is looked for, and nothing is read beyond it."""
_PIECE_BYTES: Final = 1 << 20
_TOO_LONG: Final = b"too long to be read"


class BoundedLine(NamedTuple):
    """A line, as far as it was read.

    Attributes:
        size: In bytes; 0 at the end of the file.
        content: Its bytes; of one that is too long, words that say so.
        is_whole: Whether its end was found. Else it is the last that can be read.
    """

    size: int
    content: bytes
    is_whole: bool


def next_line(file: BinaryIO) -> BoundedLine:
    """Read the line that starts here."""
    size, pieces = 0, list[bytes]()
    while size <= ENDLESS_BYTES and (piece := file.readline(_PIECE_BYTES)):
        size += len(piece)
        pieces.append(piece)
        if size > MOST_LINE_BYTES:
            pieces = [_TOO_LONG]
        if piece.endswith(b"\n"):
            return BoundedLine(size, b"".join(pieces), is_whole=True)
    return BoundedLine(size, b"".join(pieces), is_whole=False)
