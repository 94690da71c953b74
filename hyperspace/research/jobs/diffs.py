"""Unified diffs as models write them, made good where what they mean is plain."""

import re
from typing import Final

_HUNK: Final = re.compile(r"@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@(.*)")


def recounted(diff: str) -> str:
    """Return a diff whose hunks say how long they are.

    Models count badly: what a hunk holds is plain from its lines, and its header is made to agree.
    """
    lines = diff.split("\n")
    counted: list[str] = []
    at = 0
    while at < len(lines):
        header = _HUNK.match(lines[at])
        at += 1
        if header is None:
            counted.append(lines[at - 1])
            continue
        body = _hunk_body(lines, at)
        at += len(body)
        old = sum(line[:1] in ("", " ", "-") for line in body)
        new = sum(line[:1] in ("", " ", "+") for line in body)
        counted += [f"@@ -{header[1]},{old} +{header[2]},{new} @@{header[3]}", *body]
    return "\n".join(counted)


def _hunk_body(lines: list[str], start: int) -> list[str]:
    """Return the lines of a hunk; empty lines at its end belong to whoever wrote the reply."""
    end = start
    while end < len(lines) and lines[end][:1] in ("", " ", "+", "-", "\\"):
        following = lines[end + 1] if end + 1 < len(lines) else ""
        if lines[end].startswith("--- ") and following.startswith("+++ "):
            break
        end += 1
    while end > start and not lines[end - 1]:
        end -= 1
    return lines[start:end]
