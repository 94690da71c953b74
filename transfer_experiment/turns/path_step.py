"""A step of the path by which lines of a peer came into an agent's code."""

from typing import Final, Literal

import msgspec

PathKind = Literal["in_sight", "displayed", "opened", "carried", "typed", "copied", "came_in"]
QUOTE_CHARACTERS: Final = 200


class PathStep(msgspec.Struct, frozen=True):
    """One step of a path.

    Attributes:
        kind: What happened: a strategy lay in sight, was displayed to the model, was opened by a
            program; its lines stood in a file of the agent's own, were typed by the model, were
            copied by a program, came into the code.
        file: Where that is on record or stands: a strategy, a trace, the accesses, an own file.
        line: Line number in it from 1; 0 where it has none.
        step: After how many replies of the model; None where that is not known.
        quote: What stands there, shortened.
    """

    kind: PathKind
    file: str
    line: int = 0
    step: int | None = None
    quote: str = ""
