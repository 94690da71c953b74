"""The audit chain of a run: whether it verifies, and which files it tells to be replaced since."""

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from hyperspace.kernel.state.anchor import EMPTY_HEAD
from hyperspace.kernel.state.manifest import Closing
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.kernel.state.replacements import FileChange, Reason, replacements
from markspace.keeping.verification import VerifyResult


class ReplacedFiles(msgspec.Struct, frozen=True):
    """Files that are not as they were closed, as an entry of the chain tells.

    Attributes:
        entry: Number of the entry.
        reason: Why.
        files: Which, with their hashes before and after.
    """

    entry: int
    reason: Reason
    files: tuple[FileChange, ...]


class NotedHead(NamedTuple):
    """A head that was noted outside the run, by a person or in a file.

    Attributes:
        head: Hexadecimal.
        source: Who names it, for people.
    """

    head: str
    source: str


class VerifiedChain(NamedTuple):
    """A chain that was verified.

    Attributes:
        result: What the verification came to.
        vouched: Number of the newest entry that a head from outside names; None without one.
    """

    result: VerifyResult
    vouched: int | None


def verify_chain(
    marks: RunMarks, promised: str | None, closings: Iterable[Closing], noted: Iterable[NotedHead]
) -> VerifiedChain:
    """Verify the chain, and that it holds every head that was noted along the way.

    Args:
        marks: The run's.
        promised: The head that its summary names, if it is finished.
        closings: Its closings, each of which names the head before it.
        noted: Heads that were noted outside the run.
    """
    result = marks.space.verify(expected_head=promised)
    if not result.ok:
        return VerifiedChain(result, None)
    numbers = {EMPTY_HEAD: 0} | {entry.digest: entry.number for entry in marks.space.audit()}
    inside = (
        NotedHead(each.audit_head, f"{each.manifest.agent} gen {each.manifest.generation}")
        for each in closings
    )
    outside = tuple(noted)
    problems = [
        *(
            f"the head that {source} was closed on is not in the chain"
            for head, source in inside
            if head not in numbers
        ),
        *(
            f"head {head}, which {source} names, is not in the chain: that was written anew"
            for head, source in outside
            if head not in numbers
        ),
        *(
            f"the head that {source} names is that of an empty chain, which vouches for nothing"
            for head, source in outside
            if head == EMPTY_HEAD
        ),
    ]
    if problems:
        return VerifiedChain(msgspec.structs.replace(result, ok=False, problem=problems[0]), None)
    return VerifiedChain(result, max((numbers[head] for head, _ in outside), default=None))


def replaced_files(marks: RunMarks) -> tuple[ReplacedFiles, ...]:
    """Return what the chain tells of files that were replaced, in its order."""
    replaced = replacements(marks.space)
    return tuple(
        ReplacedFiles(entry.number, replaced[sequence].reason, replaced[sequence].files)
        for entry in (marks.space.audit() if replaced else ())
        for sequence in range(entry.first, entry.last + 1)
        if sequence in replaced
    )
