"""Complacency: what is looked for first is the beginning of every phrase that counts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guards.content.phrases import Phrase
from transfer_experiment.detectors.complacency import BEGINNINGS, PHRASES


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda phrase: phrase.kind)
@settings(max_examples=300, deadline=None)
@given(st.data())
def test_every_phrase_that_counts_begins_with_what_is_looked_for(
    phrase: Phrase, data: st.DataObject
) -> None:
    text = data.draw(st.from_regex(phrase.pattern))
    for found in phrase.pattern.finditer(text):
        assert found.group().startswith(tuple(BEGINNINGS[phrase.kind])), found.group()
