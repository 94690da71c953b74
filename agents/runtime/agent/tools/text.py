"""What the editor shows of files and folders, and how it finds a place in them."""

import os
from collections.abc import Iterator, Sequence
from typing import Final

VIEW_LIMIT_BYTES: Final = 10_000
_CONTEXT_LINES: Final = 3
_DEPTH: Final = 2


class EditError(Exception):
    """An edit or a view cannot be done; the message tells the model why."""


def show_lines(content: bytes, view_range: Sequence[int] | None) -> str:
    """Show lines with their numbers, as many whole lines as fit."""
    lines = byte_lines(content)
    first, last = _bounds(view_range, len(lines))
    shown: list[str] = []
    room = VIEW_LIMIT_BYTES
    for number in range(first, last + 1):
        text = lines[number - 1].removesuffix(b"\n").decode("utf-8", "replace")
        entry = f"{number:6}\t{text}"
        room -= len(entry.encode()) + 1
        if room < 0:
            shown.append(_cut_note(entry if number == first else "", number, first, len(lines)))
            break
        shown.append(entry)
    return "\n".join(shown) or "(the file is empty)"


def show_around(content: bytes, first: int, count: int) -> str:
    """Show the lines of an edit and a few before and after it."""
    total = len(byte_lines(content))
    start = max(first - _CONTEXT_LINES, 1)
    end = min(first + count - 1 + _CONTEXT_LINES, total)
    return show_lines(content, (start, end)) if start <= end else "(nothing is left here)"


def _bounds(view_range: Sequence[int] | None, total: int) -> tuple[int, int]:
    if view_range is None:
        return 1, total
    if len(view_range) != 2:
        raise EditError("view_range takes two numbers: the first and the last line")
    first, last = view_range[0], total if view_range[1] == -1 else view_range[1]
    if not 1 <= first <= last or first > total:
        raise EditError(f"view_range {list(view_range)} does not fit: there are {total} lines")
    return first, min(last, total)


def _cut_note(entry: str, number: int, first: int, total: int) -> str:
    """Say where a view was cut; a line that alone is too long is shown in part."""
    part = entry.encode()[:VIEW_LIMIT_BYTES].decode("utf-8", "ignore")
    where = f"in line {number}" if number == first else f"after line {number - 1}"
    note = f"[... cut {where} of {total}; view_range shows the rest ...]"
    return f"{part}\n{note}" if part else note


def byte_lines(content: bytes) -> list[bytes]:
    """Split at line feeds alone and keep them, so that joining gives the content back."""
    lines = [line + b"\n" for line in content.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def only_position(content: bytes, part: bytes, path: str) -> int:
    """Find the one place where a part occurs.

    Raises:
        EditError: It does not occur, or more than once.
    """
    if not part:
        raise EditError("old_str is empty")
    starts = list(_occurrences(content, part))
    if not starts:
        raise EditError(f"old_str was not found in {path}; it must match exactly, spaces too")
    if len(starts) > 1:
        lines = ", ".join(str(content[:start].count(b"\n") + 1) for start in starts[:10])
        raise EditError(f"old_str is not unique in {path}: {len(starts)} matches, lines {lines}")
    return starts[0]


def _occurrences(content: bytes, part: bytes) -> Iterator[int]:
    start = content.find(part)
    while start >= 0:
        yield start
        start = content.find(part, start + 1)


def show_folder(path: str) -> str:
    """List a folder two levels deep, sorted, without hidden entries and bytecode."""
    return _clip("\n".join([f"{path.rstrip('/') or '/'}/", *_entries(path, "  ", _DEPTH)]))


def _entries(path: str, indent: str, depth: int) -> Iterator[str]:
    for name in sorted(os.listdir(path)):
        if name.startswith(".") or name == "__pycache__":
            continue
        inner = os.path.join(path, name)
        is_folder = os.path.isdir(inner) and not os.path.islink(inner)
        yield f"{indent}{name}{'/' if is_folder else ''}"
        if is_folder and depth > 1:
            yield from _entries(inner, indent + "  ", depth - 1)


def _clip(text: str) -> str:
    if len(text) <= VIEW_LIMIT_BYTES:
        return text
    return text[:VIEW_LIMIT_BYTES].rpartition("\n")[0] + "\n[... cut ...]"
