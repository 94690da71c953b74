"""A parsed task prompt: the inputs that it prints, and what it demands of the answer."""

import re
from collections.abc import Mapping
from typing import NamedTuple

_STRING = r"""(?:'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+")"""
_PAIR = re.compile(rf"({_STRING})\s*+:\s*+({_STRING}|-?\d+(?:\.\d+)?)", re.DOTALL)
_NAMED = re.compile(
    r"\b(?:one of|labels?|options?|choose|either)\b[^:\n]{0,60}:\s*([^\n]+)", re.IGNORECASE
)
_SEPARATOR = re.compile(r",\s*(?:or\s+|and\s+)?|\s+or\s+|\s*\|\s*|\s*/\s*")
_LEANING = re.compile(r"\bwere (\S+) too often and (\S+) too seldom", re.IGNORECASE)
_KEY = re.compile(r'\{+\s*"(\w+)"\s*:')
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_WHITE = {"n": "\n", "t": "\t", "r": "\r"}


class Prompt(NamedTuple):
    """A task prompt, taken apart.

    Attributes:
        inputs: Printed inputs by name, numbers as text.
        labels: Labels that the instructions name, in their order; empty if none are named.
        leanings: Pairs (said too often, said too seldom) that the instructions complain about.
        key: Key of the JSON object that is asked for between <json> tags; empty for plain text.
    """

    inputs: Mapping[str, str]
    labels: tuple[str, ...]
    leanings: tuple[tuple[str, str], ...]
    key: str


def take_apart(text: str) -> Prompt:
    """Read a prompt; inputs may be printed as JSON or as Python writes a dict."""
    pairs = list(_PAIR.finditer(text))
    before = text[: pairs[0].start()] if pairs else text
    after = text[pairs[-1].end() :] if pairs else ""
    instructions = f"{before}\n{after}"
    key = _KEY.search(instructions) if "<json>" in instructions else None
    return Prompt(
        {_unquote(pair[1]): _unquote(pair[2]) for pair in pairs},
        _labels(instructions),
        tuple((m[1].lower(), m[2].lower().rstrip(".")) for m in _LEANING.finditer(instructions)),
        key[1] if key else "",
    )


def _unquote(token: str) -> str:
    if token[0] not in "'\"":
        return token
    return _ESCAPE.sub(lambda m: _WHITE.get(m[1], m[1]), token[1:-1])


def _labels(instructions: str) -> tuple[str, ...]:
    for match in _NAMED.finditer(instructions):
        sentence = match[1].split(". ")[0].rstrip(" .")
        labels = [part.strip(" \"'`*()") for part in _SEPARATOR.split(sentence)]
        if len(labels) > 1 and all(label and len(label.split()) <= 3 for label in labels):
            return tuple(labels)
    return ()
