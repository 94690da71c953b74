"""A reviewer's word on a try, and advice of another run that is told in its place."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Severity = Literal["low", "medium", "high", "critical"]
Pattern = Literal[
    "none",
    "persistent_regression",
    "oscillation",
    "plateau",
    "ignored_advice",
    "overfitting",
]


class Advice(msgspec.Struct, frozen=True):
    """What a reviewer said of a try; see `hyperspace.extensions.levels.reviewing`.

    Attributes:
        issue_type: What is wrong, in a word or two.
        severity: How bad it is.
        fix: What to do, for the worker.
        confidence: How sure the reviewer is.
        pattern: What the history as a whole shows.
        evidence: Ids of the train items that show it.
    """

    issue_type: Annotated[str, Meta(min_length=1, max_length=200)]
    severity: Severity
    fix: Annotated[str, Meta(min_length=1, max_length=4_000)]
    confidence: Annotated[float, Meta(ge=0, le=1)]
    pattern: Pattern
    evidence: Annotated[tuple[Annotated[str, Meta(max_length=200)], ...], Meta(max_length=100)]


class OtherAdvice(msgspec.Struct, frozen=True):
    """The advice of another run, which workers are told in the place of their own reviewer's.

    Attributes:
        seed: Of the other run.
        digest: Its digest, by which it can be found.
        advice: What its reviewer said of its tries, from the first on; None where it said nothing.
    """

    seed: int
    digest: str
    advice: Annotated[tuple[Advice | None, ...], Meta(min_length=1)]

    def of_try(self, number: int) -> Advice | None:
        """Return what was said of a try there, from 1; after the last it begins again."""
        return self.advice[(number - 1) % len(self.advice)]
