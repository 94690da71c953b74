"""Similarity is difflib's to the last bit, whatever the texts, and bounds change no verdict."""

import string
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transfer_experiment.similarity import matching
from transfer_experiment.similarity.matching import compare
from transfer_experiment.similarity.moves import (
    THRESHOLD,
    Moves,
    move,
    move_below,
    nearness,
    similarity,
)

LIBRARY = Path(string.__file__).parent
ALPHABETS = (
    "ab",
    "abc d\n",
    "aaaaaaab",
    string.printable,
    "é漢字\U0001d11eab]^-\\",
    "".join(map(chr, range(32, 500))),
)


def plain(a: str, b: str) -> float:
    """What difflib says."""
    return SequenceMatcher(None, a, b).ratio()


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A text of any size around the one where difflib begins to call characters popular."""
    alphabet = draw(st.sampled_from(ALPHABETS))
    piece = draw(st.text(alphabet, max_size=60))
    return piece * draw(st.integers(0, 8)) + draw(st.text(alphabet, max_size=300))


@st.composite
def edited(draw: st.DrawFn, text: str) -> str:
    """The text with some parts cut out, doubled or replaced."""
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(start + 50, len(text))))
        middle = draw(st.sampled_from([text[start:end] * 2, "", "#", text[:20]]))
        text = text[:start] + middle + text[end:]
    return text


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, str]:
    """Two texts, often akin."""
    first = draw(texts())
    second = draw(edited(first)) if draw(st.booleans()) else draw(texts())
    return first, second


@pytest.mark.long
@settings(max_examples=400, deadline=None)
@given(pairs())
def test_similarity_is_that_of_difflib(pair: tuple[str, str]) -> None:
    assert similarity(*pair) == plain(*pair)


@pytest.mark.long
@settings(max_examples=200, deadline=None)
@given(pairs())
def test_each_step_of_a_comparison_bounds_the_end(pair: tuple[str, str]) -> None:
    steps = list(compare(*pair))
    matched = matching.matched_by_difflib(*pair)
    assert steps[-1] == (matched, matched)
    assert all(step.matched <= matched <= step.possible for step in steps)


@pytest.mark.long
@settings(max_examples=300, deadline=None)
@given(st.data())
def test_bounds_rule_out_no_move_and_let_none_through(data: st.DataObject) -> None:
    own = data.draw(texts())
    peer = data.draw(st.one_of(edited(own), texts()))
    text = data.draw(st.one_of(edited(own), edited(peer), texts()))
    d_own, d_peer = 1.0 - plain(text, own), 1.0 - plain(text, peer)
    whole = move(text, own, peer)
    if d_own + d_peer == 0 or whole is None:
        assert d_own + d_peer == 0
        assert whole is None
        assert move_below(text, own, peer) is None
        return
    assert whole == (d_peer / (d_own + d_peer), d_own, d_peer)
    assert move_below(text, own, peer) == (whole if whole.ratio < THRESHOLD else None)


def test_real_programs_of_all_sizes_compare_as_difflib_compares_them() -> None:
    names = ("argparse", "bisect", "csv", "textwrap", "keyword", "this", "antigravity")
    programs = [(LIBRARY / f"{name}.py").read_text(encoding="utf-8") for name in names]
    for first, second in pairwise(programs):
        small, changed = first[:9000], first[:3000] + second[:500] + first[3500:9000]
        assert similarity(small, changed) == plain(small, changed)
        assert similarity(small, second[:9000]) == plain(small, second[:9000])


@pytest.mark.parametrize("size", [150, 5000])
def test_long_runs_of_rare_characters_are_left_to_difflib(size: int) -> None:
    first = "".join(chr(0x4E00 + number * 7 % 3001) for number in range(size))
    second = first[: size // 2] + "x" + first[size // 2 :]
    assert similarity(first, second) == plain(first, second)


def test_equal_texts_are_similar_and_empty_ones_are_equal() -> None:
    assert similarity("", "") == 1.0
    assert similarity("x" * 1000, "x" * 1000) == 1.0
    assert similarity("", "x") == 0.0


def evenly(size: int, kinds: int) -> str:
    """Characters of many kinds, of which none is popular."""
    return "".join(chr(0x100 + number % kinds) for number in range(size))


HOSTILE = {
    "periods": (evenly(48_000, 150), evenly(48_000, 151)),
    "large": (evenly(200_000, 150), evenly(200_000, 150)[::-1]),
}


@pytest.mark.long
@pytest.mark.parametrize("name", HOSTILE)
def test_texts_made_to_be_compared_for_ever_are_compared_by_lines(name: str) -> None:
    first, second = HOSTILE[name]
    own, other = f"{first}\nnumber = 1", f"{second}\nnumber = 1"
    near = nearness(own, other)
    assert not near.compared
    assert near.similarity == 2 * len("number = 1\n") / (len(own) + len(other) + 2)
    moves = Moves()
    assert moves.below(own, other, other[1:]) is None
    assert moves.not_compared == 1
    assert moves.below(own, other, other[1:]) is None
    assert moves.not_compared == 2  # what was measured before is told again
