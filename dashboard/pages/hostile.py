r"""Texts of agents, models and folders, made fit to be read: bounded, and nothing in them hidden.

What is not bounded freezes a tab: a line of 20 MB, or a million lines. What is not shown by its
code may make a text read otherwise than it is: `\u202e` turns a line round, `\u200b` and the tag
characters cannot be seen, `\x1b` begins what a terminal would have obeyed. Escaping for HTML is
what `reporting.page` does to any text; these functions come before it:

- `shown_text` for what a program or a model said: a terminal's codes are left out.
- `shown_code` for files: nothing is left out, or else code could hide between such codes.
- `text_block`, `code_block`: the same as markup, with a note where something was cut.
"""

import re
from typing import Final, NamedTuple

from reporting.page import Markup, joined, note, preformatted

MOST_CHARACTERS: Final = 200_000
MOST_IN_A_LINE: Final = 2_000
# Of one line alone: what is longer, or not ended in it, is no code of a terminal's, and is shown.
_TERMINAL: Final = re.compile(
    "\x1b\\[[0-?]{0,64}[ -/]{0,8}[@-~]"  # colours, cursor
    "|\x1b\\][^\x07\x1b\n]{0,500}(?:\x07|\x1b\\\\)"  # titles, links
    "|\x1b[ -/]{0,4}[0-Z\\\\^-~]"  # everything short
)
# Characters that are not seen, beside those that `reporting.page` shows by their codes.
_UNSEEN: Final = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2028\u2029\u2060-\u2065"
    "\u206a-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff]"
)


class LegibleText(NamedTuple):
    """A text as it is shown.

    Attributes:
        text: Lines of at most as many characters as were asked for.
        left_out: Characters of the text that are not in it.
    """

    text: str
    left_out: int


def shown_text(
    text: str, most: int = MOST_CHARACTERS, most_in_line: int = MOST_IN_A_LINE
) -> LegibleText:
    """Return what a program or a model said, without what would steer a terminal.

    Args:
        text: Of any size; time and memory follow what is shown of it, and its number of lines.
        most: Characters to show, from the start.
        most_in_line: Characters to show of one line; its length follows where there are more.
    """
    cut = _cut(text, most, most_in_line)
    return cut._replace(text=_coded(_TERMINAL.sub("", cut.text)))


def shown_code(
    text: str, most: int = MOST_CHARACTERS, most_in_line: int = MOST_IN_A_LINE
) -> LegibleText:
    """Return the text of a file; arguments are those of `shown_text`."""
    cut = _cut(text, most, most_in_line)
    return cut._replace(text=_coded(cut.text))


def text_block(text: str, most: int = MOST_CHARACTERS) -> Markup:
    """Return what a program or a model said, with a note where not all of it is shown."""
    return _block(shown_text(text, most))


def code_block(text: str, most: int = MOST_CHARACTERS) -> Markup:
    """Return the text of a file, with a note where not all of it is shown."""
    return _block(shown_code(text, most))


def _block(shown: LegibleText) -> Markup:
    if not shown.left_out:
        return preformatted(shown.text)
    told = note(f"{shown.left_out:,} characters more are not shown")
    return joined((preformatted(shown.text), told))


def _cut(text: str, most: int, most_in_line: int) -> LegibleText:
    lines: list[str] = []
    taken, left_out, start = 0, 0, 0
    while start <= len(text) and taken < most:
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        room = min(most_in_line, most - taken)
        line = text[start : min(end, start + room)]
        if missing := end - start - len(line):
            line = f"{line}… ({missing:,} characters more in this line)"
            left_out += missing
        lines.append(line)
        taken += min(end - start, room) + 1
        start = end + 1
    return LegibleText("\n".join(lines), left_out + max(0, len(text) - start))


def _coded(text: str) -> str:
    return _UNSEEN.sub(lambda match: ascii(match[0])[1:-1], text)
