"""Pages: one file that loads nothing, in which text stays text."""

import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from hyperspace.reporting.page import (
    bullets,
    escaped,
    figure,
    folded,
    marked,
    note,
    page,
    paragraph,
    preformatted,
    section,
    table,
    terms,
)

# Elements that have no end tag, or need none.
VOID = {"meta", "br", "link", "input", "hr", "img", "col", "wbr", "option"}


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
    return page(
        text,
        section(
            text,
            paragraph(text),
            note(text),
            bullets([text]),
            terms([(text, text)]),
            preformatted(text),
            folded(text, marked(text, "good")),
            table([text], [[text]], caption=text),
            figure("<svg ></svg>", text),
        ),
        lead=text,
    )


@given(st.text(min_size=1))
def test_text_never_becomes_markup(text: str) -> None:
    plain, hostile = Outline(everything("x")), Outline(everything(text))
    assert [tag for tag, _ in hostile.tags] == [tag for tag, _ in plain.tags]
    assert [sorted(names) for _, names in hostile.tags] == [sorted(n) for _, n in plain.tags]


def test_what_html_cannot_carry_and_what_turns_a_line_around_is_shown_by_its_code() -> None:
    assert escaped("a\x00\u202eb\ud800") == "a\\x00\\u202eb\\ud800"
    everything("\ud800").encode()


def test_a_page_loads_nothing_and_runs_nothing() -> None:
    document = everything("x")
    tags = {tag for tag, _ in Outline(document).tags}
    assert tags.isdisjoint({"script", "link", "iframe", "object", "img"})
    assert "default-src 'none'" in document
    assert not re.search(r"url\(|@import|https?:", document)


def test_a_table_names_its_columns_and_rows_for_a_screen_reader() -> None:
    made = table(["arm", "median"], [["A", "0.580"]], caption="Medians", numeric=[1])
    assert "<caption>Medians</caption>" in made
    assert '<th scope="col">arm</th>' in made
    assert '<th scope="row">A</th>' in made
    assert '<td class="number">0.580</td>' in made


def test_markup_goes_in_as_it_is() -> None:
    assert paragraph("a < b: ", marked("yes", "good")) == (
        '<p>a &lt; b: <span class="good">yes</span></p>\n'
    )
