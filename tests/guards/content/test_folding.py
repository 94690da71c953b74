"""One spelling of texts: the same with and without the places of their lines."""

import json
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guards.content.folding import fold, fold_text
from guards.content.notes import Note

LINES = st.sampled_from(
    [
        "# Stop  HERE ",
        "*",
        "",
        "\t/* do\x00 NOT\x7f edit */",
        "  \r\f x",
        "\u0405top \u200bit",
        "n\u2028o",
    ]
)


@given(st.lists(LINES | st.text(), min_size=1).map("\n".join))
def test_a_text_is_spelled_as_one_note_is(text: str) -> None:
    assert fold_text(text).strip("\n") == fold([Note("text", 1, text)]).text.strip("\n")


@pytest.mark.parametrize("blank", ["\u2800", "\u3164", "\uffa0", "\u115f", "\u1160"])
def test_letters_without_ink_part_words_or_hide_in_them(blank: str) -> None:
    spellings = fold_text(f"stop{blank}editing s{blank}top").strip().splitlines()
    assert spellings == ["stop editing s top", "stopediting stop"]


def test_letters_of_unicodes_table_are_read_as_what_they_look_like() -> None:
    file = resources.files("confusable_homoglyphs") / "confusables.json"
    table = json.loads(file.read_bytes())
    letters = {
        character: {each["c"].lower() for each in drawn if each["c"].isascii()}
        for character, drawn in table.items()
    }
    unread = {
        character: fold_text(character)
        for character, drawn in letters.items()
        if len(character) == 1 and any(each.isalpha() and len(each) == 1 for each in drawn)
        if not fold_text(character).strip().isascii()
    }
    assert not unread
    assert fold_text("\u13a5\ua4f3\u0397\U0001d40d\u0399").strip() == "iohni"
