"""Cases that testers of an arena proposed, as on record: which stand, and why others do not."""

from typing import Any, Final, Literal

import msgspec

from hyperspace.tasks.shapes.cases import TaskCase

STANDS: Final = "stands"
Refusal = Literal["malformed", "too_long", "wrong", "near_duplicate", "too_many"]
REFUSALS: Final[dict[Refusal, str]] = {
    "malformed": "it is no case of the task",
    "too_long": "its text is longer than a case may be",
    "wrong": "the oracle gives another answer",
    "near_duplicate": "a train item or a case of the same normal form is there",
    "too_many": "it stands behind the last one that is looked at",
}
"""Why the oracle refuses a case."""


class JudgedCase(msgspec.Struct, frozen=True, omit_defaults=True):
    """A proposed case, and what the oracle made of it.

    Attributes:
        id: Names it in the run.
        verdict: `stands`, or why it is refused.
        inputs: What is asked; empty (and absent from the record) of one that is refused.
        label: The right answer by the oracle; empty (and absent) of one that is refused.
        kind: The class that it belongs to (`OracleAnswer.kind`); empty of one that is refused.
        reason: Of one that is refused: more about it, for people and its tester.
        proposed: Of one that is refused: how its text begins.
    """

    id: str
    verdict: Literal["stands"] | Refusal
    inputs: dict[str, Any] = {}
    label: str = ""
    kind: str = ""
    reason: str = ""
    proposed: str = ""

    @property
    def stands(self) -> bool:
        """Whether solvers are asked it."""
        return self.verdict == STANDS

    def case(self) -> TaskCase:
        """Return the item that one which stands is."""
        return TaskCase(self.id, self.inputs, self.label, self.kind)


class Succession(msgspec.Struct, frozen=True):
    """A place in an arena that goes to somebody else.

    Attributes:
        falls: The worst of its role, which plays no further round.
        parent: The best of that role.
        generation: Of which generation of the best the child has its code.
        child: Who takes the place.
    """

    falls: str
    parent: str
    generation: int
    child: str


class RoundResult(msgspec.Struct, frozen=True):
    """What a round of an arena came to.

    Attributes:
        solvers: Accuracy of each live solver's kept code on the live suite, by name.
        testers: The score of each live tester since it joined or since the last tournament.
        suite: Ids of the cases that were live, in order.
        successions: Who fell with it, and who came in the place; empty without a tournament, and
            where all of a role are tied.
    """

    solvers: dict[str, float]
    testers: dict[str, float]
    suite: tuple[str, ...]
    successions: tuple[Succession, ...] = ()
