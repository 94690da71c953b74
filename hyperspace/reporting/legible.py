r"""Texts of agents, models and folders, made fit to be read: bounded, and nothing in them hidden.

What is not bounded freezes a tab: a line of 20 MB, or a million lines. What is not shown by its
code may make a text read otherwise than it is: `\u202e` turns a line round, `\u200b` and the tag
characters cannot be seen, `\x1b` begins what a terminal would have obeyed.
`hyperspace.reporting.rendering` does this to every text of a page, so there is no other way
into one.
"""

import re
from typing import Any, Final

import msgspec

MOST_CHARACTERS: Final = 200_000
# Of one line alone: what is longer, or not ended in it, is no code of a terminal's, and is shown.
_TERMINAL: Final = re.compile(
    "\x1b\\[[0-?]{0,64}[ -/]{0,8}[@-~]"  # colours, cursor
    "|\x1b\\][^\x07\x1b\n]{0,500}(?:\x07|\x1b\\\\)"  # titles, links
    "|\x1b[ -/]{0,4}[0-Z\\\\^-~]"  # everything short
)
# What HTML cannot carry, what changes the order in which a line is read, and what nobody sees.
# `hyperspace/dashboard/static/legible.js` has the same list for texts that scripts show.
_HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff"
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2028\u2029\u2060-\u2065"
    "\u206a-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def legible(text: str, most: int = MOST_CHARACTERS, *, is_exact: bool = True) -> str:
    """Return the start of a text with everything hidden shown by its code.

    Args:
        text: Of any size; time and memory follow what is shown of it.
        most: Characters to show; how many more there are is said behind them.
        is_exact: Whether what would steer a terminal is shown, too, and not left out.
    """
    left_out = len(text) - most
    if left_out <= 0 and text.isascii() and text.isprintable():
        return text  # as most texts are: a page has thousands
    start = text[:most]
    shown = _HIDDEN.sub(_code, start if is_exact else without_terminal_codes(start))
    return shown if left_out <= 0 else f"{shown}… ({left_out:,} characters more)"


def legible_json(value: Any) -> bytes:
    """Return a value as JSON in which everything hidden is escaped; it is read back as it was."""
    text = msgspec.json.encode(value).decode()
    return _HIDDEN.sub(_escape, text).encode()


def without_terminal_codes(text: str) -> str:
    """Return what a program or a model said, without what would steer a terminal.

    Not for files and evidence: between such codes, text could hide.
    """
    return _TERMINAL.sub("", text)


def _escape(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


def _code(match: re.Match[str]) -> str:
    return ascii(match[0])[1:-1]
