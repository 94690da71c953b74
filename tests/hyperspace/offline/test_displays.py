"""Edits of lists in source text."""

import ast
import random
from typing import Any

import pytest

from tests.support.inside_programs import programs

SOURCE = '''"""Documentation (1, 2)."""

STEPS = [
    (0, 1),  # the first
    (2, 3),
    (4, 5),
]
ORDER = ["fit", "sort", "cut"]
TABLE = {8: [1, 2, 3], 9: [4, 5, 6, 7]}
RATES = (0.25, 0.0, -1.5)
PLAN = [first, second]


def first(x: tuple[int, int]) -> list[str]:
    a, b = x
    return [a, b], x[1, 2]


def second(x):
    for name in ("near", "far"):
        yield name


PLANS = {first, second}
'''


def values(source: str) -> dict[str, Any]:
    space: dict[str, Any] = {"first": "first", "second": "second"}
    exec(source.replace("PLANS", "_"), space)  # noqa: S102 - a test's own text
    return space


def varied(count: int = 400, source: str = SOURCE) -> list[str]:
    rng = random.Random(1)
    return [programs().vary_listing(source, rng, 0.3) for _ in range(count)]


def test_lists_of_data_are_seen_and_nothing_else() -> None:
    texts = {
        tuple(SOURCE.encode()[start:end].decode() for start, end in listing.spans)
        for listing in programs().listings(SOURCE)
    }
    assert texts == {
        ("(0, 1)", "(2, 3)", "(4, 5)"),
        ("0", "1"),
        ("2", "3"),
        ("4", "5"),
        ('"fit"', '"sort"', '"cut"'),
        ("[1, 2, 3]", "[4, 5, 6, 7]"),
        ("1", "2", "3"),
        ("4", "5", "6", "7"),
        ("0.25", "0.0", "-1.5"),
        ("first", "second"),
        ('"near"', '"far"'),
    }


def test_every_edit_can_be_read_and_is_small() -> None:
    for source in varied():
        ast.parse(source)
        changed = sum(a != b for a, b in zip(source.split("\n"), SOURCE.split("\n"), strict=False))
        assert changed <= 5 or len(source.split("\n")) != len(SOURCE.split("\n"))


def test_rows_keep_their_length_and_tables_their_keys() -> None:
    for source in varied():
        space = values(source)
        assert {len(step) for step in space["STEPS"]} == {2}
        assert set(space["TABLE"]) == {8, 9}


def test_in_a_row_a_number_stays_a_number_and_a_word_comes_from_its_column() -> None:
    rows = [values(source)["A"] for source in varied(300, 'A = [("a", "x", 1), ("b", "y", 2)]\n')]
    kinds = {tuple(map(type, row)) for found in rows for row in found}
    assert kinds == {(str, str, int)}
    assert {row[:2] for found in rows for row in found} == {
        ("a", "x"),
        ("b", "y"),
        ("b", "x"),
        ("a", "y"),
    }


def test_elements_are_taken_put_swapped_moved_and_changed() -> None:
    order = 'ORDER = ["fit", "sort", "cut"]\n'
    orders = {tuple(values(source)["ORDER"]) for source in varied(600, order)}
    assert ("fit", "cut") in orders
    assert ("sort", "fit", "cut") in orders
    assert ("sort", "cut", "fit") in orders
    assert ("fit", "fit", "cut") in orders
    assert any(len(order) == 4 for order in orders)
    steps = [values(source)["STEPS"] for source in varied()]
    assert [(0, 1), (2, 3), (4, 5), (4, 6)] in steps or any(len(s) == 4 for s in steps)
    assert [(0, 1), (2, 3)] in steps
    assert [(2, 3), (4, 5)] in steps


@pytest.mark.parametrize(
    "line", ["A = 1, 2, 3", "A = [\n    1,\n    2,\n    3,\n]", "A = {1, 2, 3}"]
)
def test_a_list_may_be_written_in_any_way(line: str) -> None:
    found = [values(source)["A"] for source in varied(200, f"{line}\n")]
    lengths = {len(value) for value in found}
    assert {2, 3} <= lengths
    assert max(lengths) == 4


def test_what_would_not_be_python_is_left() -> None:
    for source in varied(100, "A = [(1), (2), (x := 3)]\n"):
        assert set(values(source)["A"]) <= {*range(-9, 9)}


def test_numbers_leave_zero_and_change_their_sign() -> None:
    rng = random.Random(2)
    zeros = {programs().stepped("0.0", rng, 0.3) for _ in range(50)}
    assert "0.0" not in zeros
    assert any(text.startswith("-") for text in zeros)
    signs = [float(programs().stepped("2.5", rng, 0.3)) for _ in range(100)]
    assert min(signs) < 0 < max(signs)
    assert {programs().stepped("3", rng, 0.3) for _ in range(200)} >= {"2", "4", "1", "5", "-3"}


def test_a_whole_number_may_go_far_in_one_step() -> None:
    rng = random.Random(5)
    steps = [int(programs().stepped("40", rng, 0.3)) for _ in range(300)]
    assert max(steps) > 100
    assert min(map(abs, steps)) < 16


def test_a_number_keeps_its_digits() -> None:
    rng = random.Random(3)
    steps = [programs().stepped("0.123456789", rng, 0.01) for _ in range(20)]
    assert max(map(len, steps)) >= len("0.1234567")


def test_a_minus_sign_belongs_to_its_number() -> None:
    texts = [number.text for number in programs().numbers("A = -1.5\nB = 2 - 3\nC = [-4, True]\n")]
    assert texts == ["-1.5", "2", "3", "-4"]


@pytest.mark.long
def test_a_long_list_does_not_drown_the_parameters() -> None:
    table = ", ".join(str(n) for n in range(400))
    source = f"RATE = 0.5\nTABLE = [{table}]\n"
    rng = random.Random(4)
    draw = programs().vary_graded
    moved = [draw(source, (), rng, 0.3, "all").partition("\n")[0] for _ in range(200)]
    assert sum(line != "RATE = 0.5" for line in moved) > 2
