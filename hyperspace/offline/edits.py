"""Edits of source text: change spots of known lines, keep every other byte."""

from collections.abc import Iterable
from typing import NamedTuple


class Change(NamedTuple):
    """A replacement within one line.

    Attributes:
        line: Line number, from 1.
        start: First byte of the old text within the line (UTF-8).
        end: Byte after its last one.
        new: What goes there.
    """

    line: int
    start: int
    end: int
    new: str


class Edit(NamedTuple):
    """A passage that occurs exactly once, and what replaces it."""

    old: str
    new: str


def apply(source: str, changes: Iterable[Change]) -> str:
    """Make changes that do not overlap; a change outside the text is left out."""
    lines = [line.encode() for line in source.split("\n")]
    for change in sorted(changes, reverse=True):
        if 0 < change.line <= len(lines):
            line = lines[change.line - 1]
            lines[change.line - 1] = line[: change.start] + change.new.encode() + line[change.end :]
    return b"\n".join(lines).decode()


def smallest_edit(source: str, target: str) -> Edit | None:
    """The passage of whole lines that differs, widened until it occurs once.

    Returns:
        None if nothing differs.
    """
    if source == target:
        return None
    old, new = source.split("\n"), target.split("\n")
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    while True:
        before, after = old[head : len(old) - tail], new[head : len(new) - tail]
        passage = "\n".join(before)
        if (before and after and _occurs_once(passage, source)) or head == tail == 0:
            return Edit(passage, "\n".join(after))
        head, tail = (head - 1, tail) if head else (0, tail - 1)


def _common(a: list[str], b: list[str]) -> int:
    pairs = zip(a, b, strict=False)
    return next((i for i, (x, y) in enumerate(pairs) if x != y), min(len(a), len(b)))


def _occurs_once(passage: str, source: str) -> bool:
    return source.find(passage, source.find(passage) + 1) < 0
