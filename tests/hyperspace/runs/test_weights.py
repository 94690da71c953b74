"""The numbers in an agent's code are read, not run."""

import pytest

from hyperspace.runs.weights import MOST_BYTES, numbers_in


def values(code: str) -> dict[str, dict[str, float]]:
    return {row.name: dict(row.numbers) for row in numbers_in(code)}


def test_numbers_lists_and_dicts_of_modules_and_classes_are_named_with_their_places() -> None:
    code = (
        "LIMIT = 3\n"
        "W: dict = {'a': -0.5, 'b': 2}\n"
        "M = [[1, 2], (3, 4)]\n"
        "class Net:\n    bias = +0.1\n"
        "OTHER = [1, 'text']\nFLAG = True\nCALL = len('x')\n"
    )
    assert values(code) == {
        "LIMIT": {"": 3.0},
        "W": {"a": -0.5, "b": 2.0},
        "M": {"0, 0": 1.0, "0, 1": 2.0, "1, 0": 3.0, "1, 1": 4.0},
        "Net.bias": {"": 0.1},
    }


def test_a_long_list_is_cut_and_counted() -> None:
    (row,) = numbers_in(f"W = {list(range(1000))}")
    assert (row.count, len(row.numbers)) == (1000, 400)


@pytest.mark.parametrize(
    "code",
    [
        "def (",
        "(" * 100_000,
        "x = " + "[" * 80 + "]" * 80,
        "\x00",
        "#" * (MOST_BYTES + 1),
        "x=1e999",
    ],
)
def test_code_that_cannot_be_parsed_or_is_too_large_has_none(code: str) -> None:
    assert numbers_in(code) == ()
