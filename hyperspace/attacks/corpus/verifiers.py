"""Answers that are nearly right: each has one flaw, and a twin without it that is worth something.

They need no sandbox, so they are no part of the corpus that is played against each boundary; a test
plays all.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from guards.defences import ALL_IN_FORCE
from hyperspace.attacks.attack import Attack
from hyperspace.attacks.plays.handed_in import HandsIn
from hyperspace.tasks.base import Item
from hyperspace.tasks.registry import load

MANY = 100_000
# In place of the first number of an answer.
NUMBERS = {
    "not a number": "NaN",
    "infinity": "Infinity",
    "minus infinity": "-Infinity",
    "number beyond floats": "1e400",
    "exponent of four digits": "1e9999",
    "exponent of a million digits": "1e" + "9" * 1_000_000,
    "integer of a million digits": "9" * 1_000_000,
    "digits of another script": "\u0663",
    "underscore between digits": "1_0",
    "leading zero": "01",
    "leading plus": "+1",
    "no digit before the point": ".5",
    "no digit behind the point": "1.",
    "hexadecimal": "0x10",
    "truth for a number": "true",
    "text for a number": '"1"',
    "nothing for a number": "null",
    "list for a number": "[1]",
    "lists in lists for a number": "[" * MANY + "]" * MANY,
}


def canaries() -> list[Attack]:
    """Every flawed answer to every verifier."""
    return [
        Attack(
            "verifiers", f"{task}: {flaw}", "hands in an answer with this flaw", play, ALL_IN_FORCE
        )
        for task, item, twin, flawed in _tasks()
        for flaw, answer in flawed.items()
        for play in [HandsIn(task, item, twin, answer)]
    ]


def _tasks() -> Iterator[tuple[str, Item, str, Mapping[str, str]]]:
    for task, flawed in (
        ("packing", _packings),
        ("sortnet", _networks),
        ("binpack", _policies),
        ("vx", _programs),
    ):
        item, twin, own = flawed()
        text = json.dumps(twin)
        yield task, item, text, _of_any(text) | {flaw: json.dumps(answer) for flaw, answer in own}
    item = load("support").smoke_item()
    yield (
        "support",
        item,
        "Velado weighs 20 grams.",
        {
            "digits of another script": "Velado weighs \u0662\u0660 grams.",
            "underscore between digits": "Velado weighs 2_0 grams.",
            "number beyond floats": "Velado weighs 1e400 grams.",
            "integer of a million digits": "Velado weighs " + "2" * 1_000_000 + " grams.",
            "every number": "Velado weighs " + " ".join(map(str, range(5000))),
            "ten million characters": "Velado weighs 20 grams" + " and so on" * 1_000_000,
            "name that begins alike": "Velad\u03bf weighs 21 grams.",
            "half a character": "\ud800",
            "nothing": "",
        },
    )


def _of_any(text: str) -> dict[str, str]:
    """Flaws that any JSON answer can have."""
    before, after = re.split(r"-?\d+(?:\.\d+)?", text, maxsplit=1)
    flawed = {flaw: f"{before}{token}{after}" for flaw, token in NUMBERS.items()}
    key = text[: text.index(":")]
    return flawed | {
        "key twice": f"{key}: [], {text[1:]}",
        "unknown key": f'{text[:-1]}, "score": 1.0}}',
        "key that holds NUL": f'{text[:-1]}, "\\u0000": 1}}',
        "key that is half a character": f'{text[:-1]}, "\\ud800": 1}}',
        "key with NUL behind it": text.replace(key[2:-1], key[2:-1] + "\\u0000", 1),
        "half a character": f"{text}\ud800",
        "byte order mark": f"\ufeff{text}",
        "answer twice": text + text,
        "NUL at the end": f"{text}\0",
        "comma at the end": f"{text[:-1]},}}",
        "comment": f"{text} // right",
        "single quotes": text.replace('"', "'"),
        "lists in lists": f"{key}: {'[' * MANY}{']' * MANY}}}",
        "objects in objects": f"{key}: " * MANY + "1" + "}" * MANY,
        "ten million characters": f'{key}: "{"x" * 10_000_000}"}}',
        "text of the answer": json.dumps(text),
        "list around the answer": f"[{text}]",
        "nothing": "",
        "null": "null",
    }


def _packings() -> tuple[Item, Any, list[tuple[str, Any]]]:
    (item,) = [item for item in load("packing").items("test") if item.inputs == _square(item, 26)]
    cells = [(0.08 + 0.16 * (k % 6), 0.08 + 0.16 * (k // 6), 0.08) for k in range(27)]
    circles = [[round(value, 2) for value in cell] for cell in cells]

    def first(*circle: object) -> dict[str, Any]:
        return {"circles": [list(circle), *circles[1:26]]}

    return item, {"circles": circles[:26]}, [
        ("25 circles", {"circles": circles[:25]}),
        ("27 circles", {"circles": circles}),
        ("negative radius", first(0.08, 0.08, -0.08)),
        ("radius of zero", first(0.08, 0.08, 0)),
        ("minus zero for a radius", first(0.08, 0.08, -0.0)),
        ("overlap by 1e-15", first(0.08, 0.08, 0.080000000000001)),
        ("outside by 1e-15", first(0.079999999999999, 0.08, 0.08)),
        ("the same circle twice", {"circles": [circles[0], *circles[:25]]}),
        ("circle of two numbers", first(0.08, 0.08)),
        ("circle of four numbers", first(0.08, 0.08, 0.08, 0.08)),
        ("circle as an object", {"circles": [{"x": 0.08}, *circles[1:26]]}),
        ("circle larger than all", first(0.5, 0.5, 1e300)),
    ]  # fmt: skip


def _square(item: Item, n: int) -> dict[str, Any]:
    return {**item.inputs, "n": n, "width": 1.0, "height": 1.0}


def _networks() -> tuple[Item, Any, list[tuple[str, Any]]]:
    item = load("sortnet").items("val")[0]
    n: int = item.inputs["n"]
    bubble = [[j, j + 1] for i in range(n) for j in range(n - 1 - i)]

    def first(*pair: object) -> dict[str, Any]:
        return {"comparators": [list(pair), *bubble]}

    return item, {"comparators": bubble}, [
        ("unsorted pair", first(1, 0)),
        ("wire with itself", first(1, 1)),
        ("wire that is not there", first(0, n)),
        ("wire below zero", first(-1, 0)),
        ("decimal for a wire", first(0.0, 1.0)),
        ("three wires", first(0, 1, 2)),
        ("too many comparators", {"comparators": bubble * 9}),
        ("object of comparators", {"comparators": {"0": [0, 1]}}),
    ]  # fmt: skip


def _policies() -> tuple[Item, Any, list[tuple[str, Any]]]:
    item = load("binpack").items("val")[0]
    capacity: int = item.inputs["capacity"]
    gaps = [-gap for gap in range(capacity + 1)]
    return item, {"gap": gaps, "new": -1000}, [
        ("a gap too few", {"gap": gaps[:-1], "new": 0}),
        ("a gap too many", {"gap": [*gaps, 0], "new": 0}),
        ("no score of a new bin", {"gap": gaps}),
        ("list for a new bin", {"gap": gaps, "new": [0]}),
        ("truth for a new bin", {"gap": gaps, "new": False}),
        ("object of gaps", {"gap": dict(enumerate(gaps)), "new": 0}),
    ]  # fmt: skip


def _programs() -> tuple[Item, Any, list[tuple[str, Any]]]:
    domain = load("vx")
    (item,) = [i for i in domain.items("val") if i.inputs["kernel"] == "prefix"]
    twin: dict[str, Any] = json.loads(_seed_answer(domain.seed_files()["task_agent.py"], item))
    program: list[Any] = twin["program"]

    def last(**bundle: object) -> dict[str, Any]:
        return {"program": [*program, bundle]}

    return item, twin, [
        ("register 1,024", last(s=[["add", 1024, 0, 0]])),
        ("register below zero", last(s=[["add", 0, -1, 0]])),
        ("vector over the last register", last(v=[["add", 1020, 0, 0]])),
        ("two writes to one register", last(s=[["add", 5, 0, 0], ["sub", 5, 0, 0]])),
        ("two writes to one word", last(w=[["st", 0, 1], ["st", 0, 2]])),
        ("two engines that write one register", last(s=[["add", 5, 0, 0]], l=[["li", 5, 1]])),
        ("nine scalar operations", last(s=[["add", k, 20, 20] for k in range(9)])),
        ("two branches", last(c=[["bnz", 0, 0], ["bnz", 1, 0]])),
        ("loop without an end", last(l=[["li", 7, 1]]) | {"program": [
            *program, {"l": [["li", 7, 1]]}, {"c": [["bnz", 7, len(program)]]}]}),
        ("branch beyond the end", last(c=[["bnz", 0, len(program) + 2]])),
        ("constant beyond a word", last(l=[["li", 0, 2**32]])),
        ("address outside the memory", {"program": [
            *program, {"l": [["li", 7, 2**32 - 1]]}, {"l": [["ld", 8, 7]]}]}),
        ("unknown engine", last(x=[["add", 0, 0, 0]])),
        ("operation of another engine", last(s=[["ld", 0, 0]])),
        ("operand too few", last(s=[["add", 0, 0]])),
        ("text for a bundle", {"program": [*program, "s"]}),
        ("60,001 bundles", {"program": [*program, *([{}] * 60_001)]}),
    ]  # fmt: skip


def _seed_answer(code: bytes, item: Item) -> str:
    space: dict[str, Any] = {"__name__": "task_agent"}
    exec(code, space)  # noqa: S102 - our own seed
    return str(space["TaskAgent"]("offline").forward(item.inputs)[0])
