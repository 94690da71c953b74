"""One spelling of texts: the same with and without the places of their lines."""

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
