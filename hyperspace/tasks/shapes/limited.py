"""Tasks whose answers are bounded otherwise than by default."""

from typing import Protocol, runtime_checkable

import msgspec

LONGEST_ANSWER = 20_000  # characters


class AnswerLimits(msgspec.Struct, frozen=True):
    """Bounds of one answer.

    Attributes:
        characters: A longer one counts as none.
        cpu_s: CPU seconds that the code may use for it, or for one whole episode; enforced by the
            kernel in a sandbox without further processes. None bounds the wall clock alone.
    """

    characters: int = LONGEST_ANSWER
    cpu_s: int | None = None


@runtime_checkable
class Limited(Protocol):
    """A domain that declares the bounds of its answers."""

    @property
    def answer_limits(self) -> AnswerLimits:
        """Bounds of each answer."""
        ...
