import random
import re

import pytest

from hyperspace.tasks.pairwise.conversations import WEIGHTS, draw_pair

HEDGES = {"perhaps", "maybe", "possibly", "probably", "apparently", "presumably"}
TEST_HEDGES = {"arguably", "supposedly"}


def value(conversation: str) -> float:
    """The planted rule, read off the text alone."""
    question, answer = conversation.split("\nAssistant: ")
    words = answer.split()
    sentences = re.split(r"\.(?: |$)", answer)[:-1]
    uncited = re.sub(r"\[\d+\]", "", answer)
    figure = re.findall(r"\d+", question)[0]
    counts = {
        "words": len(words),
        "citations": answer.count("["),
        "hedges": sum(word.strip(",.").lower() in HEDGES | TEST_HEDGES for word in words),
        "repeats": len(sentences) - len(set(sentences)),
        "wrong figures": int(set(re.findall(r"\d+", uncited)) != {figure}),
    }
    return sum(WEIGHTS[name] * count for name, count in counts.items())


@pytest.mark.parametrize("is_test", [False, True])
def test_all_that_the_preference_counts_can_be_read_in_the_texts(is_test: bool) -> None:
    rng = random.Random(4)
    for _ in range(200):
        inputs, excess = draw_pair(is_test, rng)
        assert set(inputs) == {"messages_a", "messages_b"}
        lead = value(inputs["messages_a"]) - value(inputs["messages_b"])
        assert lead == pytest.approx(excess)


def test_words_of_the_test_split_are_not_those_of_train() -> None:
    rng = random.Random(4)
    train, test = (
        " ".join(draw_pair(is_test, rng).inputs["messages_a"] for _ in range(200))
        for is_test in (False, True)
    )
    for word in ("harbour", "tunnel", "arguably", "supposedly"):
        assert (word in train.lower(), word in test.lower()) == (False, True)
