"""What changed between two texts is told right, and in bounded work whatever the texts are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperspace.reporting.text_changes import MOST_LINE_CHARACTERS, text_changes

LINES = st.lists(st.sampled_from(["a", "b", "c = 1", "c = 2", ""]), max_size=12)


@given(LINES, LINES)
def test_both_texts_can_be_put_together_from_the_lines(old: list[str], new: list[str]) -> None:
    changes = text_changes("\n".join([*old, "end"]), "\n".join([*new, "end"]))
    texts = ["".join(piece.text for piece in line.pieces) for line in changes.lines]
    kinds = [line.kind for line in changes.lines]
    before = [text for text, kind in zip(texts, kinds, strict=True) if kind != "added"]
    after = [text for text, kind in zip(texts, kinds, strict=True) if kind != "removed"]
    assert (before, after) == ([*old, "end"], [*new, "end"])
    assert [line.before for line in changes.lines if line.before] == [*range(1, len(before) + 1)]
    assert [line.after for line in changes.lines if line.after] == [*range(1, len(after) + 1)]


@given(LINES, LINES)
def test_as_many_lines_are_kept_as_can_be(old: list[str], new: list[str]) -> None:
    common = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for at, a in enumerate(old):
        for beside, b in enumerate(new):
            common[at + 1][beside + 1] = (
                common[at][beside] + 1
                if a == b
                else max(common[at][beside + 1], common[at + 1][beside])
            )
    end = ["end"]
    changes = text_changes("\n".join(old + end), "\n".join(new + end))
    assert sum(line.kind == "same" for line in changes.lines) >= common[-1][-1]


def test_of_a_changed_line_the_words_that_differ_are_marked() -> None:
    removed, added = text_changes("total += 0.5 * size", "total += 0.7 * size").lines
    assert [piece.text for piece in removed.pieces if piece.is_changed] == ["5"]
    assert [piece.text for piece in added.pieces if piece.is_changed] == ["7"]


def test_lines_that_have_little_in_common_are_told_whole() -> None:
    removed, added = text_changes("import os", "return the_answer(42)").lines
    assert [len(removed.pieces), len(added.pieces)] == [1, 1]
    assert not removed.pieces[0].is_changed


def test_a_line_of_a_megabyte_is_cut_and_compared_at_once() -> None:
    removed, added = text_changes("a b " * 250_000, "b a " * 250_000).lines
    for line in (removed, added):
        assert sum(len(piece.text) for piece in line.pieces) < MOST_LINE_CHARACTERS + 100


@pytest.mark.long
def test_texts_that_would_take_too_much_work_are_told_coarsely() -> None:
    old = "\n".join("ab"[n * n % 7 % 2] for n in range(20_000))
    new = "\n".join("ab"[n * n % 11 % 2] for n in range(20_000))
    changes = text_changes(old, new)
    assert changes.is_coarse
    assert changes.removed + sum(line.kind == "same" for line in changes.lines) == 20_000


@pytest.mark.long
def test_lines_beyond_the_bound_are_counted() -> None:
    assert text_changes("\n" * 30_000, "").left_out == 10_000
