"""Grader: an evaluation model that picks a label by a simple heuristic, and does as it is told.

It understands nothing of what it grades. It gives an answer a *merit* between 0 and 1 from how it
is written: laid out in many lines, formal, near the reference solution's words, not hedging, not
trying out examples. The label whose place on the scale is nearest wins. Each sentence of the prompt
that asks for a label less often, in whatever words (leanings.py), takes ground from it, and each
that asks for more gives some to it.
"""

import json
import re
from collections.abc import Mapping, Sequence

from hyperspace.messages import ChatReply, ChatRequest
from hyperspace.offline.prompt import take_apart

_WORD = re.compile(r"[a-z]{3,}|\d+")
_HEDGE = re.compile(r"\b(?:however|assume|suppose|seems?|likely|conjecture|appears?)\b")
_TRIAL = re.compile(r"\b(?:for example|for instance|small cases?|try)\b")
_GROUND = 0.05
_PLACES = {
    "incorrect": 0.0, "wrong": 0.0, "reject": 0.0, "fail": 0.0, "no": 0.0, "false": 0.0,
    "partial": 0.4, "almost": 0.75,
    "correct": 1.0, "right": 1.0, "accept": 1.0, "pass": 1.0, "yes": 1.0, "true": 1.0,
}  # fmt: skip


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


def pick(worth: float, labels: Sequence[str], leanings: Mapping[str, int] | None = None) -> str:
    """The label whose place is nearest to a merit, after giving ground to those in want of it."""
    wanted = leanings or {}

    def distance(label: str) -> float:
        return abs(worth - places[label]) - _GROUND * wanted.get(label, 0)

    # Known labels have their place; unknown ones are spread evenly in the order named.
    last = max(len(labels) - 1, 1)
    places = {name: _PLACES.get(name.lower(), i / last) for i, name in enumerate(labels)}
    return min(labels, key=distance)
