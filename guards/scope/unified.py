"""Unified diffs between two versions of a tree of texts, as `git diff` writes them."""

import difflib
from collections.abc import Iterator, Mapping
from typing import Final

_NOWHERE: Final = "/dev/null"


def unified_diff(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Return the diff that makes one version of the other, files in order of their paths."""
    paths = sorted({*before, *after})
    return "".join(_file_diff(path, before.get(path), after.get(path)) for path in paths)


def _file_diff(path: str, before: str | None, after: str | None) -> str:
    if before == after:
        return ""
    old = _NOWHERE if before is None else f"a/{path}"
    new = _NOWHERE if after is None else f"b/{path}"
    return "".join(_whole_lines(_lines(before), _lines(after), old, new))


def _lines(text: str | None) -> list[str]:
    """Split at line feeds alone, as the reader of patches does."""
    *whole, last = (text or "").split("\n")
    return [f"{line}\n" for line in whole] + ([last] if last else [])


def _whole_lines(before: list[str], after: list[str], old: str, new: str) -> Iterator[str]:
    for line in difflib.unified_diff(before, after, old, new):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
