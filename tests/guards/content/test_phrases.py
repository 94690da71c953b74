"""Phrases: what is looked for by how it begins is found as if it were looked for everywhere."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guards.content.phrases import Phrase
from guards.content.stop_signals import STOP


@pytest.mark.long
@pytest.mark.parametrize("phrase", STOP, ids=lambda phrase: phrase.kind)
@settings(max_examples=300, deadline=None)
@given(st.data())
def test_every_match_is_found_by_its_beginning(phrase: Phrase, data: st.DataObject) -> None:
    parts = st.from_regex(phrase.pattern) | st.sampled_from([*phrase.beginnings, " ", "\n", "x"])
    text = "".join(data.draw(st.lists(parts, max_size=4)))
    spans = [match.span() for match in phrase.pattern.finditer(text)]
    assert [match.span() for match in phrase.matches(text)] == spans
