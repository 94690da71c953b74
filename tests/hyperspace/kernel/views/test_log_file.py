from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperspace.kernel.views.log_file import LogFile, first_difference, lines_of

VALUES = st.lists(st.dictionaries(st.text("ab", min_size=1), st.integers()), min_size=1, max_size=6)


@pytest.mark.long
@given(before=VALUES, after=VALUES)
def test_what_was_noted_holds_for_all_that_was_added_since(
    before: list[object], after: list[object]
) -> None:
    begin, end = lines_of(before), lines_of(after)
    view = LogFile(Path("/nowhere"))
    view.take_in(begin)
    noted = view.prefix_hash()
    assert noted.holds_for(begin)
    assert noted.holds_for(begin + end)
    assert not noted.holds_for(begin[:-1])
    assert not noted.holds_for(b"x" + begin[1:] + end)


def test_settling_adds_what_is_lacking_and_replaces_what_is_wrong(tmp_path: Path) -> None:
    expected = b"one\ntwo\nthree\n"
    for actual in (b"", b"one\ntw", b"one\nTWO\n", expected, expected + b"four\n"):
        view = LogFile(tmp_path / "view")
        view.path.write_bytes(actual)
        view.settle(expected)
        assert view.content() == expected
        view.append(b"next\n")
        assert view.prefix_hash().holds_for(expected + b"next\n")
        assert view.content() == expected + b"next\n"


def test_the_first_line_that_differs_is_named() -> None:
    expected = b"one\ntwo\nthree\n"
    assert first_difference(expected, expected) == ""
    assert first_difference(b"", expected) == "is missing or empty"
    assert first_difference(b"one\nTWO\nthree\n", expected) == "was changed at line 2"
    assert first_difference(b"one\ntw", expected) == "is cut off at line 2"
    assert first_difference(b"one\n", expected) == "is cut off at line 2"
    assert first_difference(expected + b"four\n", expected) == "was changed at line 4"
