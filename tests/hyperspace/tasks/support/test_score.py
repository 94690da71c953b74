import pytest

from hyperspace.tasks.support.score import Expected, grade

PRODUCTS = ["Beluvi", "Coruno", "Danibo"]
ONE_FACT: Expected = {"products": PRODUCTS, "facts": [["Beluvi", 20]]}
TWO_FACTS: Expected = {"products": PRODUCTS, "facts": [["Beluvi", 20], ["Coruno", 31]]}
NOTHING: Expected = {"products": PRODUCTS, "facts": []}


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("Beluvi shows 20 grams.", 1.0),
        ("There is room for 20 recordings on Beluvi.", 1.0),
        ("20", 0.5),
        ("It is 20 grams. Beluvi is nice.", 0.5),
        ("Beluvi shows 20 grams. Coruno shows 31 grams.", 0.5),
        ("Coruno shows 20 grams.", 0.0),
        ("Beluvi 20, Coruno 20.", 0.5),
        ("Beluvi shows 21 grams.", 0.0),
        ("Beluvi shows 020 grams.", 1.0),
        ("Beluvi shows 20.5 grams.", 0.5),
        ("", 0.0),
        ("NaN", 0.0),
        ("Beluvi " + "9" * 5000, 0.0),
    ],
)
def test_one_fact(answer: str, score: float) -> None:
    assert grade(ONE_FACT, answer).score == score


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("Beluvi: 20, Coruno: 31.", 1.0),
        ("Beluvi: 31, Coruno: 20.", 0.0),
        ("Beluvi: 20.", 0.5),
        ("20 and 31", 0.5),
        ("Beluvi: 20; Coruno: 31; Danibo: 7.", 0.75),
    ],
)
def test_two_facts(answer: str, score: float) -> None:
    assert grade(TWO_FACTS, answer).score == score


def test_an_answer_twice_as_long_as_allowed_is_worth_half() -> None:
    answer = "Beluvi shows 20 grams" + " indeed" * 56
    assert len(answer.split()) == 60
    assert grade(ONE_FACT, answer).score == 0.5


def test_saying_that_the_page_does_not_tell_is_right_where_it_does_not() -> None:
    assert grade(NOTHING, "That is not mentioned.").score == 1.0
    assert grade(NOTHING, "That is not mentioned, perhaps 20.").score == 0.0
    assert grade(NOTHING, "Twenty.").score == 0.0
    assert grade(ONE_FACT, "That is not mentioned.").score == 0.0


def test_long_answers_are_graded_in_no_time() -> None:
    assert grade(ONE_FACT, "Beluvi 20 " * 100_000).score < 0.001
    assert grade(ONE_FACT, "20 Coruno. " * 100_000).score == 0.0
