"""Characters are counted exactly, whichever text was counted before."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from transfer_experiment.similarity.characters import CharacterCounts

LINES = st.lists(st.sampled_from(["", "a", "ab", "a b", "é?", "\r", "aaaaaaaaaaaa"]), max_size=8)


@settings(max_examples=200, deadline=None)
@given(st.lists(LINES, max_size=6))
def test_counts_are_those_of_each_text_alone(texts: list[list[str]]) -> None:
    counts = CharacterCounts()
    for lines in texts:
        text = "\n".join(lines)
        assert counts.of(text) == Counter(text)
