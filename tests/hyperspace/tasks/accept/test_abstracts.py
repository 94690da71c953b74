import random
import re

import pytest

from hyperspace.tasks.accept.abstracts import FEWEST, MOST_CHANCE, THRESHOLD, WEIGHTS, draw_abstract


def number(pattern: str, text: str) -> float:
    return float(re.findall(pattern, text)[0])


def badness(text: str) -> float:
    """The planted rule, read off the text alone."""
    boasts = ("This proves", "always", "solved", "Nothing better", "never", "No doubt")
    counts = {
        "no baseline": int("baseline" not in text and "control group" not in text),
        "few participants": int(number(r"(\d+) participants", text) < FEWEST),
        "chance": int(number(r"p = (0\.\d+)", text) > MOST_CHANCE),
        "boasts": sum(phrase in text for phrase in boasts),
        "leak": int("test set" in text),
        "mismatch": int(len(set(re.findall(r"(\d+) percent", text))) > 1),
        "no limits": int("imits" not in text),
    }
    return sum(WEIGHTS[name] * count for name, count in counts.items())


@pytest.mark.parametrize("is_test", [False, True])
def test_all_that_the_decision_counts_can_be_read_in_the_abstract(is_test: bool) -> None:
    rng = random.Random(4)
    for _ in range(200):
        inputs, excess = draw_abstract(is_test, rng)
        assert set(inputs) == {"paper_text"}
        assert THRESHOLD - badness(inputs["paper_text"]) == pytest.approx(excess)


def test_fields_and_boasts_of_the_test_split_are_not_those_of_train() -> None:
    rng = random.Random(4)
    train, test = (
        " ".join(draw_abstract(is_test, rng).inputs["paper_text"] for _ in range(200))
        for is_test in (False, True)
    )
    for word in ("translation", "drumming", "never fails", "No doubt"):
        assert (word in train, word in test) == (False, True)
