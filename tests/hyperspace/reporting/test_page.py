"""Pages: one file that loads nothing, in which text stays text."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from hyperspace.reporting.rendering import Templates
from tests.support.hostile.payloads import PAYLOADS
from tests.support.paths import ROOT

# Elements that have no end tag, or need none.
VOID = {"meta", "br", "link", "input", "hr", "img", "col", "wbr", "option"}
TEMPLATES = Templates("tests.hyperspace.reporting")
OURS = sorted(
    path
    for package in ("hyperspace", "replication", "transfer_experiment")
    for path in (ROOT / package).rglob("templates/*")
)


class Outline(HTMLParser):
    """Collects tags, their attributes and the text, and checks that tags close in order."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(document)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def everything(text: str) -> str:
    """A page with one text in every place that takes one."""
    return TEMPLATES.render("everything.html", text=text)


def shape(document: str) -> list[tuple[str, list[str]]]:
    """The elements of a page with the names of their attributes."""
    told = (each for each in Outline(document).tags if each[0] != "wbr")
    return [(tag, sorted(names - {"title"})) for tag, attrs in told for names in [{*attrs}]]


@given(st.text(min_size=1))
def test_text_never_becomes_markup(text: str) -> None:
    assert shape(everything(text)) == shape(everything("x"))


@pytest.mark.parametrize("text", PAYLOADS)
def test_what_would_run_is_text(text: str) -> None:
    assert shape(everything(text)) == shape(everything("x"))


@pytest.mark.parametrize(
    "text", ["{{ 12345 * 9 }}", "{% include 'document.html' %}", "{# none #}x", "{{ style() }}"]
)
def test_text_never_becomes_a_template(text: str) -> None:
    outline = Outline(everything(text))
    assert outline.text.count(text) >= 10
    assert "111105" not in outline.text


def test_what_html_cannot_carry_and_what_turns_a_line_around_is_shown_by_its_code() -> None:
    assert TEMPLATES.render("text.html", text="a\x00\u202eb\ud800") == "a\\x00\\u202eb\\ud800"
    shown = everything("\u202e\u200b\x1b\ud800")
    shown.encode()
    assert not {"\u202e", "\u200b", "\x1b"} & {*shown}


def test_what_is_no_text_is_made_legible_too() -> None:
    assert TEMPLATES.render("text.html", text=Path("a\u202e<b>")) == "a\\u202e&lt;b&gt;"


def test_a_value_that_is_not_there_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="missing"):
        TEMPLATES.render("missing.html")


def test_a_page_loads_nothing_and_runs_nothing() -> None:
    document = everything("x")
    tags = {tag for tag, _ in Outline(document).tags}
    assert tags.isdisjoint({"script", "link", "iframe", "object", "img"})
    assert "default-src 'none'" in document
    assert not re.search(r"url\(|@import|https?:", document)


def test_a_table_names_its_columns_and_rows_for_a_screen_reader() -> None:
    made = TEMPLATES.render("medians.html")
    assert "<caption>Medians</caption>" in made
    assert '<th scope="col">arm</th><th class="number" scope="col">median</th>' in made
    assert 'aria-label="Medians"' in made


@pytest.mark.parametrize("path", OURS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_template_has_no_way_for_text_to_become_markup(path: Path) -> None:
    source = path.read_text("utf-8")
    assert not re.search(r"\|\s*safe\b|autoescape|<script>|\bon\w+=|\bstyle=", source)
    assert not re.search(r"=\s*\{\{", source), "a value of an attribute stands in quotes"


def test_there_are_templates() -> None:
    assert len(OURS) > 20
