from fractions import Fraction

import pytest

from hyperspace.tasks.strict_json import exact, parse_strictly


def test_numbers_can_be_kept_exactly() -> None:
    assert parse_strictly('{"a": [0.1, 2]}', exact) == {"a": [Fraction(1, 10), 2]}


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}',
        "[NaN]",
        "[Infinity]",
        "[-Infinity]",
        "[1e99999]",
        "[" + "9" * 5000 + "]",
        "[0." + "1" * 41 + "]",
        "[" * 100_000,
        "",
        "[1] [2]",
        "\ud800",
    ],
)
def test_what_is_ambiguous_or_too_large_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_strictly(text)
