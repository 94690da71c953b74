"""Records of what code did to its workspace, with evidence that fits into an audit log."""

import hashlib
from collections.abc import Iterable, Set
from difflib import unified_diff
from typing import Literal

import msgspec

from guards.scope.walk import IngestLimits

Kind = Literal[
    "new",
    "changed",
    "deleted",
    "mode",
    "link",
    "special",
    "oversized",
    "unreadable",
    "encoding",
    "name",
    "twin",
]
Verdict = Literal["accepted", "reverted"]


class WorkspaceChange(msgspec.Struct, frozen=True):
    """One path that differs from what was materialized, and what the guard did about it.

    Attributes:
        path: Where, with unprintable characters escaped; ends in `/` when it stands for a folder.
        kind: How it differs. `special`: no regular file any more; `encoding`: not UTF-8 text;
            `name`: a path that is not plain; `twin`: a second spelling of an existing path.
        verdict: Whether it was taken over or put back.
        reason: Why it was put back; empty when it was accepted.
        sha256_before: Hash of what was materialized; empty when there was nothing.
        sha256_after: Hash of what was found; empty when there is nothing or it was not read.
        diff: Unified diff, escaped like the path and cut at a bound; empty when there is no text
            to compare.
    """

    path: str
    kind: Kind
    verdict: Verdict
    reason: str = ""
    sha256_before: str = ""
    sha256_after: str = ""
    diff: str = ""


def describe_change(
    path: str,
    kind: Kind,
    reason: str,
    contents: tuple[bytes | None, bytes | None],
    limits: IngestLimits,
) -> WorkspaceChange:
    """Make the record of a change.

    Args:
        path: Workspace path as it was found.
        kind: How it differs.
        reason: Why it is put back; empty accepts it.
        contents: Bytes before and after; None where there are none.
        limits: Bounds of the diff.
    """
    before, after = contents
    verdict: Verdict = "reverted" if reason else "accepted"
    unread = after is None and kind != "deleted"
    diff = "" if before == after or unread else _diff(before or b"", after or b"", limits)
    return WorkspaceChange(
        printable(path), kind, verdict, reason, _sha256(before), _sha256(after), diff
    )


def group(
    changes: Iterable[WorkspaceChange], folders: Set[str], limits: IngestLimits
) -> list[WorkspaceChange]:
    """Tell many reverted changes of one kind below one folder as one, so that a flood stays short.

    Args:
        changes: In the order of their paths.
        folders: Folders that exist both before and after; others count as one with all below.
        limits: Says how many are many.
    """
    groups: dict[tuple[str, str, str], list[WorkspaceChange]] = {}
    for change in changes:
        alone = change.verdict == "accepted" or change.kind == "changed"
        # Else the highest folder above it that is new or lost, or the one that it lies in.
        above = parents(change.path)
        top = next((folder for folder in above if folder not in folders), (["", *above])[-1])
        path = change.path if alone else top
        groups.setdefault((path, change.kind, change.verdict), []).append(change)
    short: list[WorkspaceChange] = []
    for (path, _, _), same in groups.items():
        if len(same) <= limits.grouped:
            short += same
            continue
        names = ", ".join(change.path for change in same[:3])
        reason = f"{same[0].reason}; {len(same)} paths: {names[:300]}, ..."
        short.append(
            WorkspaceChange(f"{path}/" if path else "./", same[0].kind, "reverted", reason)
        )
    return sorted(short, key=lambda c: (c.path, c.kind))


def printable(text: str) -> str:
    """Escape what a terminal or UTF-8 cannot carry."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def parents(path: str) -> list[str]:
    """The folders above a path, highest first."""
    names = path.split("/")
    return ["/".join(names[:count]) for count in range(1, len(names))]


def folders_of(paths: Iterable[str]) -> set[str]:
    """Every folder above any of the paths."""
    folders: set[str] = set()
    for path in paths:
        folder, slash, _ = path.rpartition("/")
        while slash and folder not in folders:  # those above a known one are known
            folders.add(folder)
            folder, slash, _ = folder.rpartition("/")
    return folders


def _sha256(content: bytes | None) -> str:
    return "" if content is None else hashlib.sha256(content).hexdigest()


def _diff(before: bytes, after: bytes, limits: IngestLimits) -> str:
    try:
        old, new = before.decode().splitlines(), after.decode().splitlines()
    except UnicodeDecodeError:
        return ""
    if max(len(old), len(new)) > limits.diff_lines:
        return f"(too long for a diff: {len(old)} lines before, {len(new)} after)"
    lines = unified_diff(old, new, "before", "after", lineterm="", n=2)
    text = "\n".join(map(printable, lines))
    cut = len(text) > limits.diff_characters
    return text[: limits.diff_characters] + "\n(cut)" if cut else text
