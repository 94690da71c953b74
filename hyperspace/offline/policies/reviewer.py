"""A reviewer without a language model: it reads tries as a linter with statistics would.

It knows what its prompt says and nothing else: failing train items, scores, diffs, what it said
before. It counts; it does not understand code.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from math import sqrt
from statistics import fmean, pstdev
from typing import Any, NamedTuple, cast

from guards.parsing import decode_json
from hyperspace.messages import ChatReply, ChatRequest
from hyperspace.offline.policies.code_places import holds, marks_of, places_of

_TRIES = re.compile(r"^```jsonl\n(.*?)^```", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
LOOKED_BACK = 3  # tries that make a pattern
MOST_EVIDENCE = 20  # ids
_MOST_VALUES = 0.5  # of an input, as a share of the items: a name of each item is no class
_HOLDING = " with"  # said behind the name of an input that holds a mark
_HIGH, _MEDIUM = 0.5, 0.2  # shares of wrong items

Try = dict[str, Any]


class ItemClass(NamedTuple):
    """A class of items that fail.

    Attributes:
        name: What tells it, for people.
        places: What to look at in the code; nothing where it names nothing of the class.
        ids: Its failing items.
        surplus: How many times as often it fails as its like, less one standard error.
    """

    name: str
    places: tuple[str, ...]
    ids: tuple[str, ...]
    surplus: float


class Reviewer:
    """Answers a prompt that holds tries with a record of advice; any other with a sentence."""

    def reply(self, request: ChatRequest) -> ChatReply:
        """Answer the last user message."""
        asked = [m.content for m in request.messages if m.role == "user"]
        tries = list(tries_in(asked[-1] if asked else ""))
        if not tries:
            return ChatReply(text="I review tries, and I see none.")
        code = "".join(_CODE.findall(asked[-1])[-1:])
        return ChatReply(text=json.dumps(advise(tries, code)))


def tries_in(prompt: str) -> Iterator[Try]:
    """Yield the tries that a prompt tells of, the newest first."""
    for line in "".join(_TRIES.findall(prompt)[-1:]).splitlines():
        try:
            told = decode_json(line, object)
        except ValueError:
            continue
        if isinstance(told, dict) and "try" in told:
            yield told


def advise(tries: Sequence[Try], code: str) -> dict[str, Any]:
    """Make the record of advice for the newest try."""
    newest, pattern = tries[0], pattern_of(tries)
    if not newest.get("valid", True):
        error = str(newest.get("error") or "no reason is known")[:500]
        fix = f"The last try does not run: {error}. Change less, and keep the signature."
        return _record("code that does not run", "critical", fix, 0.9, pattern, ())
    shown: list[Any] = newest.get("failing", [])
    failing: list[Try] = [item for item in shown if isinstance(item, dict)]
    classes = classes_of(failing, code)
    # Where it pointed since something was kept, there may be nothing to find.
    fruitless = takewhile(lambda told: not told.get("kept"), tries)
    said = Counter(str(told.get("advice", {}).get("issue_type")) for told in fruitless)
    worst = min(classes, key=lambda c: said[issue_of(c)], default=None)  # the first of equals
    if worst is None:
        fix = "No class of train items is known to fail. Make the code shorter or sounder."
        return _record("nothing fails in sight", "low", fix, 0.2, pattern, ())
    share = len(worst.ids) / len(failing)
    marked = ", ".join(f"`{place}`" for place in worst.places)
    where = f" Look at {marked}." if marked else ""
    fix = f"{len(worst.ids)} of {len(failing)} wrong train items are {worst.name}.{where}"
    fix += changed_since(tries)
    return _record(issue_of(worst), _severity(newest), fix, round(share, 3), pattern, worst.ids)


def issue_of(worst: ItemClass) -> str:
    """Name the issue that a class of failing items is."""
    return f"wrong: {worst.name}"[:200]


def classes_of(failing: Sequence[Try], code: str = "") -> list[ItemClass]:
    """Return classes of failing items, those that stand out most first.

    A class is a value of an input, a short string of the code that a longer input holds, or a
    label that was answered otherwise. With n failing items and k values each is expected n / k
    times; a count is known to its root. Classes that the code names come first: they say where to
    look, a label only which way.
    """
    classes: list[ItemClass] = []
    for name, values in _grouped(failing, code).items():
        expected = sum(map(len, values.values())) / len(values)
        for value, items in values.items():
            numeric = _leaning(items, failing) if name == "label" else tuple[str, ...]()
            surplus = (len(items) - sqrt(len(items))) / expected
            ids = tuple(str(item["id"]) for item in items)
            told = f"{name} {value}" + (f", mostly by {', '.join(numeric)}" if numeric else "")
            is_held = name.endswith(_HOLDING)
            places = places_of(code, value) if is_held else _named_in(code, (value, *numeric))
            classes.append(ItemClass(told, tuple(places), ids, surplus))

    def rank(c: ItemClass) -> tuple[bool, float, int, str]:
        is_place = not c.name.startswith("label ") and bool(c.places)
        return not is_place, -c.surplus, -len(c.ids), c.name

    return sorted(classes, key=rank)


def _grouped(failing: Sequence[Try], code: str) -> dict[str, dict[str, list[Try]]]:
    """Group failing items by values of inputs, by marks that inputs hold, and by labels."""
    grouped: dict[str, dict[str, list[Try]]] = {}
    for item in failing:
        for name, value in item.get("inputs", {}).items():
            if isinstance(value, str):
                grouped.setdefault(name, {}).setdefault(value, []).append(item)
    most, marks = _MOST_VALUES * len(failing), marks_of(code)
    for name in [name for name, values in grouped.items() if len(values) > most]:
        texts = grouped.pop(name)
        held = {mark: [i for t, items in texts.items() if holds(t, mark) for i in items]
                for mark in marks}  # fmt: skip
        told = {mark: items for mark, items in held.items() if 1 < len(items) <= most}
        grouped |= {name + _HOLDING: told} if told else {}
    for item in failing:
        if "label" in item:
            turned = f"{item['label']} answered {item.get('prediction')}"
            grouped.setdefault("label", {}).setdefault(turned, []).append(item)
    return grouped


def pattern_of(tries: Sequence[Try]) -> str:
    """Name what the history shows, by the newest tries."""
    newest, scores = tries[0], [t["val_score"] for t in tries if _is_number(t.get("val_score"))]
    parent = next((t for t in tries if t["try"] == newest.get("of")), Try())
    if _rose(parent, newest, "train_score") and _rose(newest, parent, "val_score"):
        return "overfitting"
    followed = [t["advice_followed"] for t in tries if "advice_followed" in t]
    if len(followed) > 1 and set(followed[:2]) == {"no"}:
        return "ignored_advice"
    steps = [a - b for a, b in pairwise(scores[: LOOKED_BACK + 2])]
    if len(steps) > LOOKED_BACK and all(a * b < 0 for a, b in pairwise(steps)):
        return "oscillation"
    lately = tries[:LOOKED_BACK]
    if len(lately) < LOOKED_BACK or any(t.get("kept") for t in lately):
        return "none"
    kept = {t["try"]: t.get("val_score") for t in tries}
    fell = [_rose(t, {"val_score": kept.get(t.get("of"))}, "val_score") for t in lately]
    return "persistent_regression" if all(fell) else "plateau"


def changed_since(tries: Sequence[Try]) -> str:
    """Say what the newest try mended and broke of its parent's; empty where it is not known."""
    parent = next((t for t in tries if t["try"] == tries[0].get("of")), None)
    if parent is None or "failing" not in parent:
        return ""
    now, before = (Counter(_ids(t)) for t in (tries[0], parent))
    return f" The last try mended {len(before - now)} items and broke {len(now - before)}."


def _named_in(code: str, words: Sequence[str]) -> list[str]:
    return [word for word in words if re.search(rf"\b{re.escape(word)}\b", code)]


def _ids(told: Try) -> list[str]:
    items: list[Any] = told.get("failing", [])
    return [str(cast("Try", item)["id"] if isinstance(item, dict) else item) for item in items]


def _leaning(items: Sequence[Try], failing: Sequence[Try]) -> tuple[str, ...]:
    """The two numeric inputs in which some failing items differ most from the others."""
    chosen = {item["id"] for item in items}
    others = [item for item in failing if item["id"] not in chosen]
    if not others:
        return ()
    apart: list[tuple[float, str]] = []
    names = [n for n, v in items[0].get("inputs", {}).items() if _is_number(v)]
    for name in names:
        here, there = ([i["inputs"].get(name) for i in some] for some in (items, others))
        values = [v for v in (*here, *there) if _is_number(v)]
        if len(values) < len(failing) or not pstdev(values):
            continue
        apart.append((abs(fmean(here) - fmean(there)) / pstdev(values), name))
    return tuple(name for _, name in sorted(apart, reverse=True)[:2])


def _severity(newest: Try) -> str:
    score: Any = newest.get("train_score")
    wrong: float = 1 - score if _is_number(score) and 0 <= score <= 1 else _MEDIUM
    return "high" if wrong > _HIGH else "medium" if wrong > _MEDIUM else "low"


def _rose(before: Try, after: Try, what: str) -> bool:
    old: Any = before.get(what)
    new: Any = after.get(what)
    return _is_number(old) and _is_number(new) and bool(new > old)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _record(
    issue: str, severity: str, fix: str, confidence: float, pattern: str, ids: Sequence[str]
) -> dict[str, Any]:
    return {
        "issue_type": issue,
        "severity": severity,
        "fix": fix,
        "confidence": confidence,
        "pattern": pattern,
        "evidence": list(ids[:MOST_EVIDENCE]),
    }
