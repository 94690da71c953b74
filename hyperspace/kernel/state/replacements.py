"""Files that are not as they were closed, and why: redacted for an export, or not kept.

Each is on record as a mark, so that the audit chain holds it. No loose file stands for one.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

import msgspec

from hyperspace.kernel.state.marks import convert
from hyperspace.kernel.state.scopes import GENERATIONS
from markspace import Action, MarkSpace, MarkType

RESOURCE: Final = "files"
Reason = Literal["redacted", "not kept"]
Changes = Mapping[str, Sequence["FileChange"]]
"""The changes of each file, in order, by its path within the run folder."""


class FileChange(msgspec.Struct, frozen=True):
    """What became of one file.

    Attributes:
        path: Path within the run folder.
        before: SHA-256 of its content until then.
        after: SHA-256 of what stands there since; None where it is gone.
    """

    path: str
    before: str
    after: str | None


class Replacement(msgspec.Struct, frozen=True, omit_defaults=True):
    """Files that were replaced or removed in one step.

    Attributes:
        reason: Why.
        files: Which, in path order.
        adoptions_sha256: Hash of the adoptions that summary.json tells from then on, which these
            files showed; None (and absent from the record) where nothing is said of them.
    """

    reason: Reason
    files: tuple[FileChange, ...]
    adoptions_sha256: str | None = None


def replacements(space: MarkSpace) -> dict[int, Replacement]:
    """Return what is on record of a run's files, by the sequence of each mark, in its order.

    Raises:
        RunDamaged: A mark is none of ours.
    """
    stored = space.read(GENERATIONS, resource=RESOURCE, mark_type=MarkType.ACTION)
    by_sequence = {
        space.sequence_of(mark.id) or 0: convert(Replacement, mark.result)
        for mark in stored
        if isinstance(mark, Action)
    }
    return dict(sorted(by_sequence.items()))


def changes_by_path(steps: Iterable[Iterable[FileChange]]) -> Changes:
    """Return the changes of each file; `steps` are given in their order."""
    changes: dict[str, list[FileChange]] = {}
    for step in steps:
        for change in step:
            changes.setdefault(change.path, []).append(change)
    return changes


def is_on_record(changes: Changes, path: str, closed: str, actual: str | None) -> bool:
    """Return whether the record leads from a file as it was closed to the file that is there.

    Args:
        changes: What is on record.
        path: Its path within the run folder.
        closed: Its hash as it was closed.
        actual: Its hash; None where there is none.
    """
    expected: str | None = closed
    for change in changes.get(path, ()):
        if change.before == expected:
            expected = change.after
            if expected == actual:
                return True
    return False
