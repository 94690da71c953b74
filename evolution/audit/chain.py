"""The audit chain of a run: whether it verifies, and which files it tells to be replaced since."""

from collections.abc import Iterable

import msgspec

from evolution.state.manifest import Closing
from evolution.state.marks import RunMarks
from evolution.state.replacements import FileChange, Reason, replacements
from markspace.keeping.verification import VerifyResult

EMPTY_HEAD = bytes(32).hex()


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


def verify_chain(
    marks: RunMarks, promised: str | None, closings: Iterable[Closing]
) -> VerifyResult:
    """Verify the chain, and that it holds every head that was noted along the way.

    Args:
        marks: The run's.
        promised: The head that its summary names, if it is finished.
        closings: Its closings, each of which names the head before it.
    """
    result = marks.space.verify(expected_head=promised)
    if not result.ok:
        return result
    heads = {EMPTY_HEAD, *(entry.digest for entry in marks.space.audit())}
    for closing in closings:
        if closing.audit_head not in heads:
            where = f"{closing.manifest.agent} gen {closing.manifest.generation}"
            problem = f"the head that {where} was closed on is not in the chain"
            return msgspec.structs.replace(result, ok=False, problem=problem)
    return result


def replaced_files(marks: RunMarks) -> tuple[ReplacedFiles, ...]:
    """Return what the chain tells of files that were replaced, in its order."""
    replaced = replacements(marks.space)
    return tuple(
        ReplacedFiles(entry.number, replaced[sequence].reason, replaced[sequence].files)
        for entry in (marks.space.audit() if replaced else ())
        for sequence in range(entry.first, entry.last + 1)
        if sequence in replaced
    )
