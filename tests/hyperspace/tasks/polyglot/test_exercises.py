"""The references are right: against slower, plainer ways, and on what the statements spell out."""

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any

import pytest

from hyperspace.tasks.base import SPLITS
from hyperspace.tasks.polyglot.cases import as_line
from hyperspace.tasks.polyglot.catalogue import EXERCISES, exercise
from hyperspace.tasks.polyglot.exercises.train import dozenal
from hyperspace.tasks.polyglot.exercises.val import moonleap

NAMES = [name for split in SPLITS for name in EXERCISES[split]]
CASES = 60


SPELT_OUT: list[tuple[str, Any, Any]] = [
    ("tidemerge", {"segments": [[0, 2, 1], [2, 4, 1], [5, 6, 1]]}, [[0, 4, 1], [5, 6, 1]]),
    ("vowelshift", {"mode": "encode", "text": "Ab, oz!"}, "Ac, pb!"),
    ("vowelshift", {"mode": "decode", "text": "Ac, pb!"}, "Ab, oz!"),
    ("dozenal", {"op": "write", "value": -1728}, "-b.aaa"),
    ("dozenal", {"op": "read", "text": "-a"}, None),
    ("dozenal", {"op": "read", "text": "ba"}, 12),
    ("seats", {"votes": [1, 1, 1], "seats": 2, "method": "remainder"}, [1, 1, 0]),
    ("seats", {"votes": [2, 1], "seats": 2, "method": "average"}, [1, 1]),
    ("lanternpath", {"rows": ["..", ".."], "lanterns": [[0, 1, 0]]}, 2),
    ("lanternpath", {"rows": ["#"], "lanterns": []}, -1),
    ("outline", {"lines": ["a", "", "    b"]}, 3),
    ("outline", {"lines": [" ", "a ", "  b c", "d"]}, [["a", [["b c", []]]], ["d", []]]),
    ("runglyph", {"op": "walk", "code": "2R3(UL)"}, [-1, 3, 8]),
    ("runglyph", {"op": "write", "path": "RRU"}, "2RU"),
    ("moonleap", {"date": [4, 7, 29], "days": 1}, [4, 8, 1, 4]),
    ("moonleap", {"date": [5, 7, 29], "days": 1}, None),
    ("moonleap", {"date": [1, 1, 1], "days": -1}, None),
    ("weavecount", {"top": "abc", "bottom": "cba", "p": 100}, [3, 11]),
    ("nearswap", {"values": [2, 1], "k": 2}, -1),
    ("swapladder", {"start": "ab", "goal": "ba", "words": ["ba"]}, 1),
    ("loom8", {"program": [["jump", 0]], "cap": 3}, [[], 3, "cap"]),
    (
        "tagrange",
        {"versions": ["1.0.0", "1.0.0-b2", "1.0.0-b10", "1.0.1-a"], "ranges": ">=1.0.0-b2"},
        ["1.0.0-b2", "1.0.0-b10", "1.0.0"],
    ),
    (
        "cachewalk",
        {"policy": "lfu", "capacity": 1, "ttl": 2, "requests": [[0, "a"], [2, "a"], [3, "b"]]},
        [0, 1, ["a"]],
    ),
    (
        "shiftcheck",
        {"rest": 1, "hours": 9, "skills": {"a": ["s"]}, "shifts": [["a", 2, 3, "s"]] * 2},
        [1, "rest"],
    ),
    (
        "queuepark",
        {
            "lanes": 2,
            "size": 1,
            "events": [["in", "x"], ["in", "y"], ["in", "z"], ["out", "x"]],
        },
        [0, 1, -1, 0],
    ),
    (
        "ledgerfold",
        {
            "entries": [
                ["1", "hold", "a", 5, ""],
                ["2", "refund", "", 1, "1"],
                ["3", "clear", "", 0, "1"],
                ["4", "refund", "", 5, "1"],
                ["4", "void", "", 0, "1"],
            ]
        },
        [[["a", 0]], ["2", "4"]],
    ),
    (
        "gridfold",
        {"width": 3, "height": 1, "folds": [["left", 2]], "cells": [[0, 0], [1, 0], [2, 0]]},
        [2, 1, 2, [2, 1, -1]],
    ),
    (
        "sparsepoly",
        {"p": 7, "op": "compose", "f": [[2, 1], [0, 6]], "g": [[1, 1], [0, 1]]},
        [[2, 1], [1, 2]],
    ),
    (
        "cartload",
        {"limit": 5, "fragile": 1, "pieces": [[5, 2, 0], [2, 1, 1], [2, 1, 1], [2, 1, 0]]},
        [2, [0]],
    ),
]


def drawn(name: str) -> Iterator[tuple[Any, Any]]:
    """Inputs and answers of a reference."""
    rng = Random(f"test {name}")
    for _ in range(CASES):
        case = exercise(name).draw_case(rng)
        yield case, exercise(name).solve(case)


def test_there_are_twenty_in_splits_of_8_6_and_6() -> None:
    assert [len(EXERCISES[split]) for split in SPLITS] == [8, 6, 6]
    assert len(set(NAMES)) == 20


@pytest.mark.parametrize("name", NAMES)
def test_cases_are_small_json_that_every_language_can_hold(name: str) -> None:
    for case, answer in drawn(name):
        for line in (as_line(case), as_line(answer)):
            assert line.isascii() and len(line) < 2_000
        assert all(abs(number) < 2**53 for number in numbers([case, answer]))


def numbers(value: Any) -> Iterator[int]:
    """All numbers in a JSON value; they have to be integers."""
    if isinstance(value, dict):
        value = list(value.values())  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    if isinstance(value, list):
        for part in value:  # pyright: ignore[reportUnknownVariableType]
            yield from numbers(part)
    elif value is not None and not isinstance(value, str):
        assert type(value) is int
        yield value


@pytest.mark.parametrize(("name", "case", "answer"), SPELT_OUT)
def test_what_the_statements_spell_out(name: str, case: Any, answer: Any) -> None:
    assert exercise(name).solve(case) == answer


def tidemerge(case: Any) -> Any:
    """Level by level of each place."""
    levels = {
        place: max(h for s, e, h in case["segments"] if s <= place < e)
        for start, end, _ in case["segments"]
        for place in range(start, end)
    }
    steps: list[list[int]] = []
    for place in sorted(levels):
        if steps and steps[-1][1:] == [place, levels[place]]:
            steps[-1][1] += 1
        else:
            steps.append([place, place + 1, levels[place]])
    return steps


def gridfold(case: Any) -> Any:
    """Follow every cell of the sheet."""
    size = [case["width"], case["height"]]
    cells = [[x, y] for x in range(size[0]) for y in range(size[1])]
    for side, k in case["folds"]:
        axis = 0 if side in ("left", "right") else 1
        length = size[axis]
        size[axis] = max(k, length - k)
        for cell in cells:
            place = cell[axis] if side in ("left", "top") else length - 1 - cell[axis]
            place = k - 1 - place if place < k else place - k
            cell[axis] = place if side in ("left", "top") else size[axis] - 1 - place
    layers = [
        cells.count(cell) if cell[0] < size[0] and cell[1] < size[1] else -1
        for cell in case["cells"]
    ]
    return [*size, max(cells.count(cell) for cell in cells), layers]


def seats(case: Any) -> Any:
    """With exact fractions."""
    votes, count = case["votes"], case["seats"]
    parties = range(len(votes))
    if case["method"] == "average":
        given = [0 for _ in parties]
        for _ in range(count):
            quotients = [(-Fraction(votes[i], given[i] + 1), given[i], i) for i in parties]
            given[min(quotients)[2]] += 1
        return given
    exact = [Fraction(count * v, sum(votes)) for v in votes]
    given = [int(share) for share in exact]
    order = sorted((given[i] - exact[i], -votes[i], i) for i in parties)
    for *_, party in order[: count - sum(given)]:
        given[party] += 1
    return given


def lanternpath(case: Any) -> Any:
    """Relax all cells until nothing changes."""
    rows = case["rows"]
    free = [(r, c) for r, row in enumerate(rows) for c, cell in enumerate(row) if cell == "."]
    dark = {
        (r, c): int(all(abs(r - y) + abs(c - x) > radius for y, x, radius in case["lanterns"]))
        for r, c in free
    }
    cost = dict.fromkeys(free, 999)
    if (0, 0) in cost:
        cost[0, 0] = dark[0, 0]
    for _ in free:
        for r, c in free:
            near = [
                cost.get(cell, 999) for cell in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1))
            ]
            cost[r, c] = min(cost[r, c], min(near) + dark[r, c])
    last = cost.get((len(rows) - 1, len(rows[0]) - 1), 999)
    return last if last < 999 else -1


def cartload(case: Any) -> Any:
    """Try every load."""
    pieces = case["pieces"]
    loads: list[tuple[int, list[int]]] = [
        (-sum(pieces[i][1] for i in load), list(load))
        for size in range(len(pieces) + 1)
        for load in combinations(range(len(pieces)), size)
        if sum(pieces[i][0] for i in load) <= case["limit"]
        and sum(pieces[i][2] for i in load) <= case["fragile"]
    ]
    value, load = min(loads)
    return [-value, load]


def nearswap(case: Any) -> Any:
    """Bubble sort of every k-th place counts the swaps."""
    values, k, swaps = list(case["values"]), case["k"], 0
    for _ in values:
        for at in range(len(values) - k):
            if values[at] > values[at + k]:
                values[at], values[at + k] = values[at + k], values[at]
                swaps += 1
    return swaps if values == sorted(values) else -1


def swapladder(case: Any) -> Any:
    """Neighbours by making every word that one step leads to."""

    def nexts(word: str) -> set[str]:
        made = {word[:i] + x + word[i + 1 :] for i in range(len(word)) for x in "abcd"}
        made |= {word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1)}
        return made & set(case["words"]) - {word}

    distance = {case["start"]: 0}
    front = [case["start"]]
    for word in front:
        for other in sorted(nexts(word) - distance.keys()):
            distance[other] = distance[word] + 1
            front.append(other)
    return distance.get(case["goal"], -1)


def weavecount(case: Any) -> Any:
    """Number the letters of each kind and sort by bubbles."""

    def numbered(text: str) -> list[tuple[str, int]]:
        return [(letter, text[:at].count(letter)) for at, letter in enumerate(text)]

    goal = {thread: at for at, thread in enumerate(numbered(case["bottom"]))}
    threads, crossings, weight = numbered(case["top"]), 0, 0
    for _ in threads:
        for at in range(len(threads) - 1):
            left, right = threads[at], threads[at + 1]
            if goal[left] > goal[right]:
                threads[at : at + 2] = [right, left]
                crossings += 1
                weight += (ord(left[0]) - 96) * (ord(right[0]) - 96)
    return [crossings, weight % case["p"]]


PLAIN: dict[str, Callable[[Any], Any]] = {
    "tidemerge": tidemerge,
    "gridfold": gridfold,
    "seats": seats,
    "lanternpath": lanternpath,
    "cartload": cartload,
    "nearswap": nearswap,
    "swapladder": swapladder,
    "weavecount": weavecount,
}


@pytest.mark.parametrize("name", PLAIN)
def test_a_plainer_way_gives_the_same(name: str) -> None:
    for case, answer in drawn(name):
        assert PLAIN[name](case) == answer, case


def test_texts_in_cipher_come_back() -> None:
    for case, answer in drawn("vowelshift"):
        back = {"encode": "decode", "decode": "encode"}[case["mode"]]
        assert exercise("vowelshift").solve({"mode": back, "text": answer}) == case["text"]


def test_proper_numerals_are_what_is_read() -> None:
    for value in [*range(-3000, 3000, 7), 12**9, -(12**8) + 1]:
        text = dozenal.written(value)
        assert dozenal.solve({"op": "read", "text": text}) == value
    for text in (
        "",
        "-",
        ".",
        "ab",
        "b.aa",
        "baaa",
        "b..aaa",
        ".baa",
        "baa.",
        "--b",
        "A",
        "é",
        "-a",
    ):
        assert dozenal.solve({"op": "read", "text": text}) is None


def test_polynomials_have_the_values_that_they_should_have() -> None:
    poly = exercise("sparsepoly").solve
    for case, answer in drawn("sparsepoly"):
        p = case["p"]

        def at(terms: Any, x: int, p: int = p) -> int:
            return poly({"p": p, "op": "evaluate", "f": terms, "x": x})

        for x in range(3):
            if case["op"] == "multiply":
                assert at(answer, x) == at(case["f"], x) * at(case["g"], x) % p
            elif case["op"] == "compose":
                assert at(answer, x) == at(case["f"], at(case["g"], x))
        if case["op"] == "evaluate" and all(exponent < 1_000 for exponent, _ in case["f"]):
            assert answer == sum(c * case["x"] ** e for e, c in case["f"]) % p


def written_out(code: str) -> str:
    """The walk of a code: innermost brackets first, then repeated steps."""
    inner = re.compile(r"(\d*)\(([^()]*)\)")
    while match := inner.search(code):
        walk = written_out(match[2]) * int(match[1] or 1)
        code = code[: match.start()] + walk + code[match.end() :]
    return re.sub(r"(\d+)([UDLR])", lambda part: part[2] * int(part[1]), code)


def test_walks_end_where_they_do_when_written_out() -> None:
    short = 0
    for case, answer in drawn("runglyph"):
        if case["op"] == "write":
            assert written_out(answer) == case["path"]
            assert not re.search(r"(\D|^)1[UDLR]|([UDLR])\d*\2", answer)
        elif answer[2] < 10**5:
            short += 1
            walk = written_out(case["code"])
            x, y = walk.count("R") - walk.count("L"), walk.count("U") - walk.count("D")
            assert answer == [x, y, len(walk)]
    assert short > 5


@pytest.mark.long
def test_dates_are_what_counting_day_by_day_gives() -> None:
    days = [
        [year, month, day]
        for year in range(1, 300)
        for month in range(1, 14)
        for day in range(1, moonleap.month_days(year, month) + 1)
    ]
    assert [4, 7, 29] in days and [128, 7, 29] not in days and [5, 7, 29] not in days
    for at in range(0, len(days), 997):
        assert moonleap.solve({"date": [1, 1, 1], "days": at}) == [*days[at], at % 7]
        assert moonleap.solve({"date": days[at], "days": -at}) == [1, 1, 1, 0]
