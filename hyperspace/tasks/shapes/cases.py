"""Tasks for which anybody can make up items: an oracle decides what the right answer is."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import msgspec

from hyperspace.tasks.base import Domain, Split


class CaseMalformed(ValueError):
    """Inputs that are none of the task; the message says why, in one line."""


class OracleAnswer(NamedTuple):
    """What an oracle says of inputs.

    Attributes:
        label: The right answer, normalised.
        kind: The class of items that they belong to, such as the rule that is broken.
    """

    label: str
    kind: str


class TaskCase(msgspec.Struct, frozen=True):
    """An item that was made up, with the oracle's answer. Never leaves the host with its label.

    Attributes:
        id: Names it among all items of the task.
        inputs: What an agent gets.
        label: The right answer, by the oracle.
        kind: See `OracleAnswer`.
    """

    id: str
    inputs: dict[str, Any]
    label: str
    kind: str


@runtime_checkable
class HasOracle(Protocol):
    """A domain that can have further items, each judged by a reference that agents never see.

    Contract: pure and deterministic; for every item of the domain the oracle gives its label.
    """

    def normal_form(self, inputs: Mapping[str, Any]) -> str:
        """Return what near-duplicates have in common: inputs of one form teach the same.

        Equal forms have equal answers.

        Raises:
            CaseMalformed: They are no inputs of the task.
        """
        ...

    def decide(self, inputs: Mapping[str, Any]) -> OracleAnswer:
        """Return the right answer to inputs that have a normal form."""
        ...

    @property
    def answers(self) -> tuple[str, ...]:
        """All answers that can be right."""
        ...

    def with_cases(self, cases: Mapping[Split, Sequence[TaskCase]]) -> Domain:
        """Return the same task with cases behind the items of the splits that are named."""
        ...
