"""Rewriting takes words out of comments and docstrings and leaves the code as it is."""

import ast
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.content.base import ContentFinding
from guards.content.rewrite import CannotRewrite, rewrite

MARKER = "[gone]"


def finding(line: int, last: int, part: Any) -> ContentFinding:
    return ContentFinding("a.py", line, "k", "q", last, part)


def without_docstrings(text: str) -> str:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            node.value = ast.Constant("")
    return ast.dump(tree)


def test_a_comment_is_replaced_and_its_line_of_code_stays() -> None:
    text = "x = 1  # stop\ny = '# stop'  # fine\n"
    assert rewrite(text, [finding(1, 1, "comment")], MARKER) == (
        "x = 1  # [gone]\ny = '# stop'  # fine\n"
    )


def test_a_docstring_is_replaced_as_a_whole() -> None:
    text = 'def f():\n    r"""Do.\n\n    stop\n    """\n    return 1\n'
    assert rewrite(text, [finding(4, 4, "docstring")], MARKER) == (
        'def f():\n    """[gone]"""\n    return 1\n'
    )


def test_windows_line_ends_stay() -> None:
    text = "# stop\r\nx = 1\r\n"
    assert rewrite(text, [finding(1, 1, "comment")], MARKER) == "# [gone]\r\nx = 1\r\n"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("x = 'stop'\n", "string"),
        ("stop\n", "text"),
        ("# coding: utf-7\n# stop\n", "comment"),
        ("\n# vim: set fileencoding=latin-1 :\n# stop\n", "comment"),
        ("# stop\rimport os\n", "comment"),
        ("# stop\n\x0cx = 1\n", "comment"),
        ("# stop\nx = (\n", "comment"),
    ],
)
def test_what_stands_in_code_or_can_be_read_in_two_ways_is_not_rewritten(
    text: str, part: str
) -> None:
    line = text.count("\n", 0, text.index("stop")) + 1
    with pytest.raises(CannotRewrite):
        rewrite(text, [finding(line, line, part)], MARKER)


def test_a_string_that_computes_something_is_no_docstring() -> None:
    text = "def f():\n    f'{stop()}'\n"
    assert rewrite(text, [finding(2, 2, "docstring")], MARKER) == text


LINES = st.sampled_from(
    [
        "x = 1  # stop",
        "# stop",
        "y = 'a # b'",
        "'stop'",
        "u\"stop\" 'again'",
        "if x:\n    '''stop\n    more'''\n    pass",
        'def f(a, b=(1,\n    2)):  # stop\n    "doc"; return a',
        "z = [  # stop\n    1,\n]",
        "w = 'a' \\\n    'b'",
        "class C:\n    # stop\n    r'''doc'''\n    k = f'{x}'",
        "é = 'ü'  # stöp",
    ]
)


@pytest.mark.long
@given(st.lists(LINES, max_size=8), st.sets(st.integers(1, 30)))
def test_code_stays_the_same_whatever_is_taken_out(parts: list[str], lines: set[int]) -> None:
    text = "\n".join([*parts, ""])
    findings = [finding(line, line, part) for line in lines for part in ("comment", "docstring")]
    rewritten = rewrite(text, findings, MARKER)
    assert without_docstrings(rewritten) == without_docstrings(text)
    if lines >= set(range(1, 31)):
        assert "# st" not in rewritten
