"""Complacency: the words that are looked for first are in every phrase that counts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guards.content.phrases import Phrase
from transfer_experiment.detectors.complacency import HINTS, PHRASES


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda phrase: phrase.kind)
@settings(max_examples=300, deadline=None)
@given(st.data())
def test_every_phrase_that_counts_holds_a_hint(phrase: Phrase, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(phrase.pattern))
    for found in phrase.pattern.finditer(text):
        assert any(hint in found.group() for hint in HINTS[phrase.kind]), found.group()
