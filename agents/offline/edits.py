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
    """The passage of whole lines that differs, widened upwards until it occurs once.

    Returns:
        None if nothing differs.
    """
    old, new = source.split("\n"), target.split("\n")
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    if head == len(old) == len(new):
        return None
    while True:
        passage = "\n".join(old[head : len(old) - tail])
        if head == 0 or (passage and _occurs_once(passage, source)):
            return Edit(passage, "\n".join(new[head : len(new) - tail]))
        head -= 1


def _common(a: list[str], b: list[str]) -> int:
    pairs = zip(a, b, strict=False)
    return next((i for i, (x, y) in enumerate(pairs) if x != y), min(len(a), len(b)))


def _occurs_once(passage: str, source: str) -> bool:
    first = source.find(passage)
    return source.find(passage, first + 1) < 0
