from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from evolution.views.views import View, first_difference, lines_of

VALUES = st.lists(st.dictionaries(st.text("ab", min_size=1), st.integers()), min_size=1, max_size=6)


@given(before=VALUES, after=VALUES)
def test_what_was_noted_holds_for_all_that_was_added_since(
    before: list[object], after: list[object]
) -> None:
    begin, end = lines_of(before), lines_of(after)
    view = View(Path("/nowhere"))
    view.take_in(begin)
    noted = view.noted()
    assert noted.holds_for(begin)
    assert noted.holds_for(begin + end)
    assert not noted.holds_for(begin[:-1])
    assert not noted.holds_for(b"x" + begin[1:] + end)


def test_settling_adds_what_is_lacking_and_replaces_what_is_wrong(tmp_path: Path) -> None:
    whole = b"one\ntwo\nthree\n"
    for found in (b"", b"one\ntw", b"one\nTWO\n", whole, whole + b"four\n"):
        view = View(tmp_path / "view")
        view.path.write_bytes(found)
        view.settle(whole)
        assert view.content() == whole
        view.append(b"next\n")
        assert view.noted().holds_for(whole + b"next\n")
        assert view.content() == whole + b"next\n"


def test_the_first_line_that_differs_is_named() -> None:
    whole = b"one\ntwo\nthree\n"
    assert first_difference(whole, whole) == ""
    assert first_difference(b"", whole) == "is missing or empty"
    assert first_difference(b"one\nTWO\nthree\n", whole) == "was changed at line 2"
    assert first_difference(b"one\ntw", whole) == "is cut off at line 2"
    assert first_difference(b"one\n", whole) == "is cut off at line 2"
    assert first_difference(whole + b"four\n", whole) == "was changed at line 4"
