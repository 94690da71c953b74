"""The examples of docs/reference/protocol.md run in the page's order and print what it says."""

import ast
import contextlib
import io
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

import markspace
from tests.support.paths import ROOT

PAGE = ROOT / "docs" / "reference" / "protocol.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SAID = re.compile(r"\bprint\(.*\)  # (.*)$", re.MULTILINE)
CONCEPTS = 20


class Example(NamedTuple):
    """A block of the page.

    Attributes:
        heading: Under which it stands.
        line: Of the page, of its first line.
        code: The block.
    """

    heading: str
    line: int
    code: str

    @property
    def said(self) -> list[str]:
        return SAID.findall(self.code)


def examples() -> Iterator[Example]:
    page = PAGE.read_text()
    for block in BLOCK.finditer(page):
        before = page[: block.start(1)]
        heading = re.findall(r"^## (.*)$", before, re.MULTILINE)[-1]
        yield Example(heading, before.count("\n") + 1, block[1])


@pytest.fixture(scope="module")
def printed() -> list[list[str]]:
    """What each example prints, all run as one program."""
    names: dict[str, Any] = {"__name__": "protocol"}
    return [run(example, names) for example in examples()]


def run(example: Example, names: dict[str, Any]) -> list[str]:
    """Run one example so that a traceback points to its line of the page."""
    tree = ast.increment_lineno(ast.parse(example.code), example.line - 1)
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(tree, str(PAGE), "exec"), names)  # noqa: S102 - our own page
    return output.getvalue().splitlines()


@pytest.mark.parametrize("number", range(sum(1 for _ in examples())))
def test_an_example_prints_what_the_page_says(number: int, printed: list[list[str]]) -> None:
    example = list(examples())[number]
    assert printed[number] == example.said, f"{PAGE}:{example.line}"


def test_every_print_of_the_page_says_what_it_prints() -> None:
    for example in examples():
        calls = [line for line in example.code.splitlines() if "print(" in line]
        assert len(calls) == len(example.said), f"{PAGE}:{example.line}: {calls}"


def test_each_concept_has_an_example() -> None:
    headings = set(re.findall(r"^## (.*)$", PAGE.read_text(), re.MULTILINE))
    headings -= {
        "More of the published interface",
        "On the command line",
        "Where we are stricter",
    }
    assert {example.heading for example in examples()} == headings
    assert len(headings) >= CONCEPTS


def test_what_the_page_lists_of_the_interface_is_there() -> None:
    part = PAGE.read_text().partition("## More of the published interface")[2].partition("\n## ")[0]
    listed = re.findall(r"`(\w+)\.(\w+)`", part)
    assert len(listed) > 10
    for owner, name in listed:
        assert hasattr(getattr(markspace, owner), name), f"{owner}.{name}"


def test_the_page_credits_the_specification() -> None:
    page = PAGE.read_text()
    assert "opinionated-systems" in page
    assert "CC BY 4.0" in page
