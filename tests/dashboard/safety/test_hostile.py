"""Texts of agents and folders as they are shown."""

import tracemalloc

import pytest

from dashboard.pages.hostile import code_block, shown_code, shown_text, text_block

LINE = 20_000_000


def test_a_line_of_20_million_characters_is_cut_and_says_so() -> None:
    shown = shown_code("a" * LINE + "\nsecond")
    first, second = shown.text.split("\n")
    assert first == "a" * 2000 + "… (19,998,000 characters more in this line)"
    assert second == "second"
    assert shown.left_out == LINE - 2000
    assert "19,998,000 characters more are not shown" in code_block("a" * LINE)


@pytest.mark.long
@pytest.mark.parametrize("text", ["\n" * LINE, "ab\n" * (LINE // 3), "\x1b]" * (LINE // 2)])
def test_what_is_kept_of_a_large_text_is_small(text: str) -> None:
    tracemalloc.start()
    block = text_block(text)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(block) < 2_000_000
    assert peak < 40_000_000


def test_a_short_text_is_shown_whole() -> None:
    assert shown_text("one\ntwo\n") == ("one\ntwo\n", 0)
    assert shown_text("") == ("", 0)
    assert shown_text("abc", most=2) == ("ab… (1 characters more in this line)", 1)
    assert shown_text("ab\ncd\nef", most=3) == ("ab", 5)


def test_what_a_terminal_would_obey_is_left_out_of_what_was_said() -> None:
    said = "\x1b[31mred\x1b[0m \x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x07 \x1b[2J\x1bcend"
    assert shown_text(said).text == "red link end"


def test_nothing_of_a_file_is_left_out() -> None:
    hidden = "safe()\n# \x1b]0;\nevil()\n# \x07"
    assert "evil()" in shown_code(hidden).text
    assert "evil()" in shown_text(hidden).text  # a title ends with its line
    assert "\\x1b[8m" in code_block("\x1b[8mevil()\x1b[0m")


@pytest.mark.parametrize(
    "character",
    ["\u202e", "\u2066", "\u200b", "\u2060", "\ufeff", "\U000e0041", "\u3164", "\u2028", "\x00"],
)
def test_what_cannot_be_seen_or_turns_a_line_round_is_shown_by_its_code(character: str) -> None:
    block = code_block(f"if admin{character}:")
    assert character not in block
    assert ascii(character)[1:-1] in block


def test_markup_is_text() -> None:
    assert "<script>" not in text_block("<script>alert(1)</script>")
    assert "&lt;script&gt;" in code_block("<script>alert(1)</script>")
