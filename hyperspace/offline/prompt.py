"""Takes a task prompt apart: the inputs that it prints, and what it demands of an answer.

Labels are found by plain features, not by one sentence: an enumeration behind a word that announces
labels, with a colon or without, in a line, in bullets, or with bars and slashes between them.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from hyperspace.offline.leanings import read_leanings

_STRING = r"""(?:'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")"""
_PAIR = re.compile(rf"({_STRING})\s*+:\s*+({_STRING}|-?\d+(?:\.\d+)?)", re.DOTALL)
_KEY = re.compile(r'\{+\s*"(\w+)"\s*:')
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_WHITE = {"n": "\n", "t": "\t", "r": "\r"}
_BULLET = re.compile(r"\n[ \t]*(?:[-*\u2022]|\d+[.)])[ \t]+")
_CUE = re.compile(
    r"\b(?:one of|either|only|exactly|(?:answer|respond|reply)\w* with|must be|limited to"
    r"|(?:label|option|choice|verdict|categor|class|grade|value|rating|decision|outcome)\w*"
    r"|choos\w+|pick|select|allowed|permitted|possible|valid)\b",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r",\s*(?:or\s+|and\s+)?|\s+or\s+|\s+and\s+|\s*[|/;]\s*")
_QUOTES = " \"'`*()[]."
_QUOTED = r"[\"'`*]{1,2}[^\"'`*\n,|/]{1,40}[\"'`*]{1,2}"
_ITEM = rf"(?:{_QUOTED}|[A-Za-z][\w-]{{0,40}})"
_LISTING = re.compile(
    rf"{_ITEM}(?:\s*,\s*{_ITEM})+,?\s+(?:or|and)\s+{_ITEM}|{_ITEM}\s+or\s+{_ITEM}"
    rf"|{_QUOTED}\s+and\s+{_QUOTED}|{_ITEM}(?:\s*[|/]\s*{_ITEM})+"
)
_NO_LABEL = re.compile("the|an?|this|that|its?|them|nothing|else|then|anything|all|so|not")
_LONGEST = 600  # characters of a line that is read


class Prompt(NamedTuple):
    """A task prompt, taken apart.

    Attributes:
        inputs: Printed inputs by name, numbers as text.
        labels: Labels that the instructions name, in their order; empty if none are named.
        leanings: By label, how many sentences ask for more of it, less those that ask for less.
        key: Key of the JSON object that is asked for between <json> tags; empty for plain text.
    """

    inputs: Mapping[str, str]
    labels: tuple[str, ...]
    leanings: Mapping[str, int]
    key: str


def take_apart(text: str) -> Prompt:
    """Read a prompt; inputs may be printed as JSON or as Python writes a dict."""
    pairs = list(_PAIR.finditer(text))
    before = text[: pairs[0].start()] if pairs else text
    after = text[pairs[-1].end() :] if pairs else ""
    instructions = f"{before}\n{after}"
    key = _KEY.search(instructions) if "<json>" in instructions else None
    labels = next(_enumerations(instructions), ())
    return Prompt(
        {_unquote(pair[1]): _unquote(pair[2]) for pair in pairs},
        labels,
        read_leanings(instructions, labels),
        key[1] if key else "",
    )


def _unquote(token: str) -> str:
    if token[0] not in "'\"":
        return token
    return _ESCAPE.sub(lambda m: _WHITE.get(m[1], m[1]), token[1:-1])


def _enumerations(instructions: str) -> Iterator[tuple[str, ...]]:
    """What could be a list of labels, in the order of the text."""
    in_line = _BULLET.sub(", ", re.sub(r":[ \t]*\n\s*", ": ", _BULLET.sub("\n- ", instructions)))
    for line in in_line.split("\n"):
        for sentence in re.split(r"[.!?]\s+", line):
            cue = _CUE.search(sentence) if len(sentence) <= _LONGEST else None
            if cue is None:
                continue
            rest = sentence[cue.end() :]
            _, colon, behind = rest.partition(":")
            listing = _LISTING.search(rest)
            for text in (behind if colon else "", listing[0] if listing else ""):
                labels = tuple(part.strip(_QUOTES) for part in _SEPARATOR.split(text.strip(" -*,")))
                if len(labels) > 1 and all(map(_is_label, labels)):
                    yield labels


def _is_label(text: str) -> bool:
    words = text.lower().split()
    return 0 < len(words) <= 3 and not any(map(_NO_LABEL.fullmatch, words))
