"""Which characters are rare is what difflib says, whatever the text is made of."""

from difflib import SequenceMatcher

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transfer_experiment.similarity.characters import RareCharacters

PARTS = st.lists(
    st.tuples(
        st.sampled_from([*" etx=\n\r\x00é\u2028\U0001f600\udcff", "ab"]), st.integers(1, 150)
    ),
    max_size=8,
)


def by_difflib(text: str) -> set[str]:
    return set(vars(SequenceMatcher(None, "", text))["b2j"])


@pytest.mark.long
@settings(max_examples=300, deadline=None)
@given(PARTS)
def test_rare_characters_are_those_that_difflib_does_not_call_popular(
    parts: list[tuple[str, int]],
) -> None:
    text = "".join(part * times for part, times in parts)
    assert RareCharacters().of(text) == by_difflib(text)


@pytest.mark.long
@settings(max_examples=200, deadline=None)
@given(st.lists(PARTS, min_size=2, max_size=4), st.lists(st.integers(0, 3), max_size=6))
def test_texts_before_make_no_difference(
    parts: list[list[tuple[str, int]]], order: list[int]
) -> None:
    texts = ["".join(f"{part * times}\n" for part, times in text) for text in parts]
    rare = RareCharacters()
    for at in order:
        text = "".join(texts[at % len(texts) :]).removesuffix("\n" * (at % 2))
        assert rare.of(text) == by_difflib(text)


@pytest.mark.parametrize("place", [0, 500, 996])
@pytest.mark.parametrize("times", [10, 11, 12])
def test_it_is_counted_to_the_end_at_the_border(place: int, times: int) -> None:
    other = "".join(map(chr, range(0x4E00, 0x4E00 + 1000)))
    text = other[:place] + "e" * times + other[place : 1000 - times]
    assert ("e" in RareCharacters().of(text)) is (times <= 11)
    assert RareCharacters().of(text) == by_difflib(text)
