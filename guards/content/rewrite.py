"""Taking words out of comments and docstrings while the code stays as it is, token for token."""

import io
import re
import tokenize
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from guards.content.base import ContentFinding
from guards.content.notes import LAYOUT, statement_strings

REWRITABLE = ("comment", "docstring")
COOKIE = re.compile(r"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
UTF_8 = ("utf-8", "utf8", "utf_8")


class CannotRewrite(Exception):
    """Findings cannot be taken out without touching code, or without knowing what is code."""


class _Cut(NamedTuple):
    start: tuple[int, int]
    end: tuple[int, int]
    words: str


def rewrite(text: str, findings: Iterable[ContentFinding], marker: str) -> str:
    """Replace each comment and docstring that holds a finding by a marker.

    Args:
        text: Python source.
        findings: What offends, all in this text.
        marker: One line that holds no quote and no backslash.

    Raises:
        CannotRewrite: A finding stands elsewhere, or Python may read the text in another way.
    """
    offending = list(findings)
    if any(finding.part not in REWRITABLE for finding in offending):
        raise CannotRewrite("it stands in code or in a string that code uses")
    return _without(text, partial(_cuts, findings=offending, marker=marker))


def without_notes(text: str) -> str:
    """Take every comment and docstring out; an empty string stands where a docstring was.

    Raises:
        CannotRewrite: The text is not Python, or Python may read it in another way.
    """
    return _without(text, _all_notes)


def _without(text: str, cuts_of: Callable[[Sequence[tokenize.TokenInfo]], list[_Cut]]) -> str:
    """Make the cuts that follow from a text's tokens, and see that its code stays."""
    if not _is_unambiguous(text):
        raise CannotRewrite("its encoding or its line ends can be read in two ways")
    tokens = _tokens(text)
    rewritten = _cut(text, cuts_of(tokens))
    if _code(_tokens(rewritten)) != _code(tokens):
        raise CannotRewrite("its code would not stay the same")
    return rewritten


def _all_notes(tokens: Sequence[tokenize.TokenInfo]) -> list[_Cut]:
    strings = statement_strings(tokens)
    return [
        _Cut(token.start, token.end, '""' if token.type == tokenize.STRING else "")
        for token in tokens
        if token.type == tokenize.COMMENT or _is_docstring(token, strings)
    ]


def _is_unambiguous(text: str) -> bool:
    cookies = [COOKIE.match(line[:500]) for line in text.split("\n", 2)[:2]]
    others = [cookie for cookie in cookies if cookie and cookie[1].lower() not in UTF_8]
    return not others and "\r" not in text.replace("\r\n", "") and not {"\f", "\v"} & set(text)


def _tokens(text: str) -> list[tokenize.TokenInfo]:
    try:
        return list(tokenize.generate_tokens(io.StringIO(text, newline="").readline))
    except (tokenize.TokenError, SyntaxError) as error:
        raise CannotRewrite("it is not Python") from error


def _cuts(
    tokens: Sequence[tokenize.TokenInfo], findings: Sequence[ContentFinding], marker: str
) -> list[_Cut]:
    strings = statement_strings(tokens)
    lines = {
        part: {
            line
            for finding in findings
            if finding.part == part
            for line in range(finding.line, finding.last_line + 1)
        }
        for part in REWRITABLE
    }
    cuts: list[_Cut] = []
    for token in tokens:
        if token.type == tokenize.COMMENT and token.start[0] in lines["comment"]:
            cuts.append(_Cut(token.start, token.end, f"# {marker}"))
            continue
        rows = range(token.start[0], token.end[0] + 1)
        if _is_docstring(token, strings) and not lines["docstring"].isdisjoint(rows):
            cuts.append(_Cut(token.start, token.end, f'"""{marker}"""'))
    return cuts


def _cut(text: str, cuts: Iterable[_Cut]) -> str:
    lines = text.split("\n")
    for cut in sorted(cuts, reverse=True):
        (first, start), (last, end) = cut.start, cut.end
        replaced = lines[first - 1][:start] + cut.words + lines[last - 1][end:]
        lines[first - 1 : last] = [replaced]
    return "\n".join(lines)


def _code(tokens: Sequence[tokenize.TokenInfo]) -> list[tuple[int, str]]:
    """The tokens of a text without comments and docstrings."""
    strings = statement_strings(tokens)
    skipped = LAYOUT - {tokenize.INDENT, tokenize.DEDENT}
    kept = (token for token in tokens if token.type not in skipped)
    return [(t.type, "" if _is_docstring(t, strings) else t.string) for t in kept]


def _is_docstring(token: tokenize.TokenInfo, strings: set[tuple[int, int]]) -> bool:
    # A dedent begins where the string behind it does.
    return token.type == tokenize.STRING and token.start in strings
