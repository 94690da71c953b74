"""Patterns: the same paths as by the regular expressions that they can be read as, in one pass."""

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from guards.scope.globs import Glob

AS_EXPRESSION = {"/**": "(?:/.*)?", "**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
PIECES = ["a", "b", ".", "/", "*", "**", "**/", "/**", "?", "[", "\n", "é"]


def by_expression(pattern: str, path: str) -> bool:
    parts = re.split(
        r"(/\*\*\Z|\*\*/|\*\*|\*|\?)", pattern + "**" if pattern.endswith("/") else pattern
    )
    expression = "".join(AS_EXPRESSION.get(part) or re.escape(part) for part in parts)
    return re.fullmatch(expression, path, re.DOTALL) is not None


@given(
    st.lists(st.sampled_from(PIECES), max_size=7).map("".join),
    st.text("ab./[\né", max_size=9),
)
@example("", "")
@example("a**/b", "ab")
@example("**/b", "ab")
@example("a/**", "a")
@example("a/**", "a/")
@example("**/**", "")
@example("**/*", "a/")
@example("a/*", "a/")
def test_a_pattern_is_for_the_paths_that_its_expression_is_for(pattern: str, path: str) -> None:
    assert Glob(pattern).matches(path) == by_expression(pattern, path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 7 + "b", "a" * 200),
        ("**a" * 40 + "b", "a" * 1024),
        ("**/" * 60 + "b", "a/" * 512),
        ("?*" * 250, "a" * 1023 + "/"),
    ],
)
def test_a_hostile_name_takes_no_longer_than_a_plain_one(pattern: str, path: str) -> None:
    before = time.process_time()
    assert not Glob(pattern).matches(path)
    assert time.process_time() - before < 30  # minutes to years where it backtracks
