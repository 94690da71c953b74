"""How strong one mark was, from when it was written until now or until another took its place."""

from typing import Final, NamedTuple

from hyperspace.runs.spaces.opening import decoded
from hyperspace.runs.spaces.snapshot import strength_of
from markspace import MarkSpace

MOST_POINTS: Final = 60


class StrengthPoint(NamedTuple):
    """The strength of a mark at a moment.

    Attributes:
        at: The last mark that counts.
        clock: Time of the space then.
        strength: In the units of the space.
    """

    at: int
    clock: float
    strength: float


def strengths_of(space: MarkSpace, sequence: int) -> tuple[StrengthPoint, ...]:
    """Return the strength of a mark at some moments, ascending; none where there is no such mark.

    Raises:
        StoreError: The space cannot be read.
    """
    with space.store.snapshot() as reader:
        rows = reader.scan(sequence - 1, 1) if sequence > 0 else []
        if not rows or rows[0].sequence != sequence:
            return ()
        (row,) = rows
        mark = decoded(space.decoder, row)
        head = reader.head().sequence
        span = max((min(row.ended - 1, head) if row.ended else head) - sequence, 0)
        steps = min(MOST_POINTS - 1, span)
        points: list[StrengthPoint] = []
        for step in range(steps + 1):
            at = sequence + span * step // max(steps, 1)
            past = space.at(at)
            points.append(StrengthPoint(at, past.now(), strength_of(past, reader, row, mark)))
        return tuple(points)
