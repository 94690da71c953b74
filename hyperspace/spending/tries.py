"""How often a call was tried in a run, and what else its model was asked meanwhile."""

from collections.abc import Iterable

import msgspec

from hyperspace.messages import CallPlace
from hyperspace.spending.ledger_lines import Line, ReservedCall, SettledCall


class Tries(msgspec.Struct, frozen=True):
    """The tries of one call, as the ledger of its run has them.

    Attributes:
        model: Who was asked, by name; empty where there was no try.
        tries: How often.
        starts: How many starts of the run tried it.
        others: How often the same model was asked something else since the first try.
        answered: How many of those it answered.
    """

    model: str = ""
    tries: int = 0
    starts: int = 0
    others: int = 0
    answered: int = 0


def tries_of(place: CallPlace, lines: Iterable[Line]) -> Tries:
    """Return the tries of a call.

    Args:
        place: The call.
        lines: The ledger, from its beginning.
    """
    model, tries, others, answered = "", 0, 0, 0
    starts = set[str]()
    for line in lines:
        if not isinstance(line, ReservedCall | SettledCall):
            continue
        is_same = (line.agent, line.generation, line.call_id) == place[:3]
        if is_same and isinstance(line, ReservedCall):
            model = line.model
            tries += 1
            starts.add(line.id.rpartition("-")[0])  # each start has a name of its own
        elif not is_same and line.model == model:
            others += isinstance(line, ReservedCall)
            answered += isinstance(line, SettledCall)
    return Tries(model, tries, len(starts), others, answered)
