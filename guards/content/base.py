"""Content policies: their input, their findings, and the contract that all of them keep."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol

import msgspec

from guards.content.notes import Part
from guards.content.source import SourceText
from guards.scope.changes import printable

LONGEST_QUOTE = 160


class Revision(NamedTuple):
    """One file that a generation changes, and what its claims can be compared with.

    Attributes:
        path: Workspace path.
        before: The parent's text; empty when the file is new.
        after: The text as the agent left it.
        peers: The same file in each strategy in sight, by the strategy's folder name.
        scores: Every score that the host has given the agent or the strategies in sight.
    """

    path: str
    before: SourceText
    after: SourceText
    peers: Mapping[str, str] = {}
    scores: tuple[float, ...] = ()


class ContentFinding(msgspec.Struct, frozen=True):
    """One thing that a policy found.

    Attributes:
        path: Workspace path.
        line: Line in the text as the agent left it, from 1.
        kind: What it is, in the policy's words.
        quote: Printable evidence of at most 160 characters; never a secret.
        last_line: Where it ends.
        part: What it stands in; `text` is code, or a file that is not Python.
    """

    path: str
    line: int
    kind: str
    quote: str
    last_line: int = 0
    part: Part = "text"


class CodePolicy(Protocol):
    """Judges what a generation changes in one file.

    Contract: pure and deterministic; time and memory grow linearly with the texts, whatever they
    hold; nothing of them is executed, imported or compiled. What the parent's text holds already
    is not found again. Quotes go through `quoted`.
    """

    name: str

    def review(self, revision: Revision) -> list[ContentFinding]:
        """Find what this policy is about, in the order of lines."""
        ...


def fresh(
    findings: Iterable[ContentFinding], before: Iterable[ContentFinding]
) -> list[ContentFinding]:
    """Leave out what was found in the parent's text as often, wherever it stood there."""
    left = Counter((finding.kind, finding.quote) for finding in before)
    new: list[ContentFinding] = []
    for finding in findings:
        key = (finding.kind, finding.quote)
        if left[key] > 0:
            left[key] -= 1
        else:
            new.append(finding)
    return new


def quoted(text: str) -> str:
    """Evidence that fits into a record and cannot steer a terminal."""
    line = " ".join(text[: 4 * LONGEST_QUOTE].split())
    return printable(line[:LONGEST_QUOTE])[:LONGEST_QUOTE]
