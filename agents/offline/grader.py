"""Grader: an evaluation model that picks a label by a simple heuristic, and does as it is told.

It understands nothing of what it grades. It gives an answer a *merit* between 0 and 1 from how it
is written: laid out in many lines, formal, near the reference solution's words, not hedging, not
trying out examples. The label whose place on the scale is nearest wins. Where the prompt complains
about earlier answers ("were X too often and Y too seldom"), X gets less ground and Y more.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from agents.messages import ChatReply, ChatRequest

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
_WORD = re.compile(r"[a-z]{3,}|\d+")
_HEDGE = re.compile(r"\b(?:however|assume|suppose|seems?|likely|conjecture|appears?)\b")
_TRIAL = re.compile(r"\b(?:for example|for instance|small cases?|try)\b")
_GROUND = 0.05
_PLACES = {
    "incorrect": 0.0, "wrong": 0.0, "reject": 0.0, "fail": 0.0, "no": 0.0, "false": 0.0,
    "partial": 0.4, "almost": 0.75,
    "correct": 1.0, "right": 1.0, "accept": 1.0, "pass": 1.0, "yes": 1.0, "true": 1.0,
}  # fmt: skip


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


class Grader:
    """The policy of this module; its scores are in docs/measured/offline-models.md."""

    def reply(self, request: ChatRequest) -> ChatReply:
        """Answer the last user message in the form that it demands."""
        questions = [m.content for m in request.messages if m.role == "user"]
        prompt = take_apart(questions[-1] if questions else "")
        worth = merit(prompt.inputs)
        answer = (
            f"I was told no labels; on a scale from 0 to 100 this looks like {worth * 100:.0f}."
        )
        if prompt.labels:
            answer = pick(worth, prompt.labels, prompt.leanings)
        if prompt.key:
            answer = f"<json>\n{json.dumps({prompt.key: answer})}\n</json>"
        return ChatReply(text=answer)


def merit(inputs: Mapping[str, str]) -> float:
    """How good an answer looks, in [0, 1]."""
    named = [value for key, value in inputs.items() if "answer" in key.lower()]
    answer = named[-1] if named else max(inputs.values(), key=len, default="")
    text, size = answer.lower(), max(len(answer), 1)
    layout = min(answer.count("\n") / size * 100 / 1.5, 2.0) - 1.0
    formality = min(answer.count("$") / size * 100 / 5.5, 2.0) - 1.0
    hedging = min(len(_HEDGE.findall(text)) / size * 1000, 2.0)
    trials = min(len(_TRIAL.findall(text)), 3)
    wanted = set(_WORD.findall(inputs.get("solution", "").lower()))
    overlap = len(wanted & set(_WORD.findall(text))) / len(wanted) if wanted else 0.4
    nearness = overlap - 0.4
    worth = 0.6 + 0.4 * layout + 0.2 * formality - 0.2 * hedging - 0.1 * trials + 0.3 * nearness
    return min(max(worth, 0.0), 1.0)


def pick(worth: float, labels: Sequence[str], leanings: Sequence[tuple[str, str]] = ()) -> str:
    """The label whose place is nearest to a merit, after giving ground to those in want of it."""

    def distance(label: str) -> float:
        name = label.lower()
        often = sum(often == name for often, _ in leanings)
        seldom = sum(seldom == name for _, seldom in leanings)
        return abs(worth - places[label]) + _GROUND * (often - seldom)

    # Known labels have their place; unknown ones are spread evenly in the order named.
    last = max(len(labels) - 1, 1)
    places = {name: _PLACES.get(name.lower(), i / last) for i, name in enumerate(labels)}
    return min(labels, key=distance)
