from hypothesis import given
from hypothesis import strategies as st

from hyperspace.offline.edits import Change, Edit, apply, smallest_edit

LINES = st.lists(st.text(alphabet="abé \r", max_size=3), min_size=1, max_size=8)


def test_changes_count_bytes_and_keep_every_other_byte() -> None:
    source = "é = 1.5 + 2.5\r\n\tb = 3.0\n"
    changes = [Change(1, 5, 8, "1.75"), Change(1, 11, 14, "9.0"), Change(2, 5, 8, "4.0")]
    assert apply(source, changes) == "é = 1.75 + 9.0\r\n\tb = 4.0\n"


def test_a_change_outside_the_text_is_left_out() -> None:
    assert apply("a\n", [Change(9, 0, 1, "b")]) == "a\n"


def test_equal_texts_need_no_edit() -> None:
    assert smallest_edit("a\nb\n", "a\nb\n") is None


def test_a_passage_is_widened_until_it_occurs_once() -> None:
    source = "x\na = 1\ny\na = 1\nz\n"
    assert smallest_edit(source, "x\na = 1\ny\na = 2\nz\n") == Edit("y\na = 1", "y\na = 2")


@given(LINES, LINES)
def test_replacing_the_passage_gives_the_target(old: list[str], new: list[str]) -> None:
    source, target = "\n".join(old), "\n".join(new)
    edit = smallest_edit(source, target)
    if edit is None:
        assert source == target
    else:
        assert source.find(edit.old) == source.rfind(edit.old)
        assert source.replace(edit.old, edit.new) == target or not source
