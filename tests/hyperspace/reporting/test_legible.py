"""Texts of agents and folders as pages show them."""

import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperspace.reporting.legible import legible, legible_json, without_terminal_codes
from hyperspace.reporting.rendering import Templates

LINE = 20_000_000
TEMPLATES = Templates("tests.hyperspace.reporting")


def escaped(text: str) -> str:
    """A text as pages show it."""
    return TEMPLATES.render("text.html", text=text)


def said(text: str) -> str:
    """What was said, as pages show it."""
    shown = TEMPLATES.render("said.html", text=text)
    return shown.removeprefix("<pre>").removesuffix("</pre>")


def test_a_line_of_20_million_characters_is_cut_and_says_so() -> None:
    shown = escaped("a" * LINE)
    assert shown == "a" * 200_000 + "… (19,800,000 characters more)"
    bounded = TEMPLATES.render("bounded.html", text="a" * LINE, most=2_000)
    assert bounded == "a" * 2_000 + "… (19,998,000 characters more)"


@pytest.mark.parametrize("text", ["\n" * LINE, "ab\n" * (LINE // 3), "\x1b]" * (LINE // 2)])
def test_what_is_kept_of_a_large_text_is_small(text: str) -> None:
    tracemalloc.start()
    block = said(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(block) < 2_000_000
    assert peak < 40_000_000


def test_a_short_text_is_shown_whole() -> None:
    assert legible("one\n\ttwo ⚠️ é 漢\n") == "one\n\ttwo ⚠️ é 漢\n"
    assert legible("") == ""
    assert legible("abc", 3) == "abc"
    assert legible("abc", 2) == "ab… (1 characters more)"


def test_what_a_terminal_would_obey_is_left_out_of_what_was_said() -> None:
    words = "\x1b[31mred\x1b[0m \x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x07 \x1b[2J\x1bcend"
    assert said(words) == "red link end"
    assert without_terminal_codes("\x1b[1mbold") == "bold"


def test_nothing_of_a_file_is_left_out() -> None:
    hidden = "safe()\n# \x1b]0;\nevil()\n# \x07"
    assert "evil()" in escaped(hidden)
    assert "evil()" in said(hidden)  # a title ends with its line
    assert "\\x1b[8m" in escaped("\x1b[8mevil()\x1b[0m")


@pytest.mark.parametrize(
    "character",
    [
        *("\u202e", "\u2066", "\u200b", "\u2060", "\ufeff", "\U000e0041", "\u3164", "\u2028"),
        *("\x00", "\x85", "\ud800", "\uffff", "\u00ad", "\ufe01", "\r"),
    ],
)
def test_what_cannot_be_seen_or_turns_a_line_round_is_shown_by_its_code(character: str) -> None:
    for shown in (escaped(f"if admin{character}:"), said(f"if admin{character}:")):
        assert character not in shown
        assert ascii(character)[1:-1] in shown


def test_markup_is_text() -> None:
    assert said("<script>alert(1)</script>") == "&lt;script&gt;alert(1)&lt;/script&gt;"
    assert escaped("\"'&") == "&#34;&#39;&amp;"


@given(st.dictionaries(st.text(), st.lists(st.text())))
def test_json_is_read_back_as_it_was_and_hides_nothing(value: dict[str, list[str]]) -> None:
    text = legible_json(value).decode()
    assert json.loads(text) == value
    assert legible(text) == text


@pytest.mark.parametrize("hidden", ["\x7f", "\x9b", "\u202e", "\u2066", "\u061c", "\U000e0041"])
def test_json_escapes_what_would_turn_a_line_round(hidden: str) -> None:
    assert legible_json([hidden]).isascii()
