import re
from typing import Any

import pytest

from hyperspace.tasks.base import SPLITS, DomainDataError, Item, Split
from hyperspace.tasks.registry import load
from hyperspace.tasks.shapes.documented import Documented
from hyperspace.tasks.shapes.renewable import Renewable
from hyperspace.tasks.shapes.verified import Verified
from hyperspace.tasks.support.domain import Support, make
from hyperspace.tasks.support.world import ATTRIBUTES

UNITS = ("dollars", "grams", "hours", "months", "metres", "recordings")


@pytest.fixture(scope="module")
def domain() -> Support:
    return make(None, {})


def mean(domain: Support, split: Split, answers: dict[str, str]) -> float:
    scores = [domain.verify(item, answers[item.id]).score for item in domain.items(split)]
    return sum(scores) / len(scores)


def by_keywords(item: Item) -> str:
    """Sentences of the products that a question names, for the attributes that train names."""
    question = item.inputs["question"]
    names = set(re.findall(r"\b[A-Z][a-z]{5,}\b", question))
    pairs = zip(ATTRIBUTES, UNITS, strict=True)
    units = [unit for a, unit in pairs if any(word in question for word in a.train)]
    sentences = re.split(r"(?<=\.) ", item.inputs["text"])
    return " ".join(
        sentence
        for sentence in sentences
        if any(name in sentence for name in names) and any(unit in sentence for unit in units)
    )


def test_every_page_has_thirty_distinct_numbers_and_no_page_comes_twice(domain: Support) -> None:
    parts = [domain.items(split) for split in SPLITS] + [domain.renewed(1).items("val")]
    items = [item for part in parts for item in part]
    for item in items:
        numbers = re.findall(r"\d+", item.inputs["text"])
        assert len(set(numbers)) == len(numbers) == 30
    assert len({item.inputs["text"] for item in items}) == len(items) == 600
    assert len({item.id for item in items}) == len(items)


def test_canned_lines_and_the_whole_page_are_worth_nothing(domain: Support) -> None:
    for split in SPLITS:
        items = domain.items(split)
        assert mean(domain, split, {item.id: "Please call our support." for item in items}) == 0.0
        assert mean(domain, split, {item.id: item.inputs["text"] for item in items}) == 0.0


def test_keywords_of_train_answer_train_and_less_of_the_other_splits(domain: Support) -> None:
    train, val, test = (
        mean(domain, split, {item.id: by_keywords(item) for item in domain.items(split)})
        for split in SPLITS
    )
    assert train == 1.0
    assert 0.85 <= val <= 0.95
    assert 0.75 <= test <= 0.85


def test_the_seed_has_its_room(domain: Support) -> None:
    space: dict[str, Any] = {"__name__": "task_agent"}
    exec(domain.seed_files()["task_agent.py"], space)  # noqa: S102 - our own file
    agent = space["TaskAgent"]("offline")
    for split in SPLITS:
        answers = {item.id: agent.forward(item.inputs)[0] for item in domain.items(split)}
        assert 0.1 <= mean(domain, split, answers) <= 0.25
    assert domain.verify(domain.smoke_item(), "Velado shows 20 grams.").score == 1.0


def test_the_published_scorer_agrees_with_the_host_on_train(domain: Support) -> None:
    assert isinstance(domain, Documented)
    space: dict[str, Any] = {"__name__": "score"}
    exec(domain.task_files()["score.py"], space)  # noqa: S102 - our own file
    for item in domain.items("train"):
        for answer in ("", item.inputs["text"], by_keywords(item), by_keywords(item)[:50]):
            assert space["score"](item.inputs, answer) == domain.verify(item, answer).score
    with pytest.raises(KeyError):
        space["score"](domain.items("val")[0].inputs, "")


def test_validation_is_renewed_and_nothing_else(domain: Support) -> None:
    assert isinstance(domain, Renewable)
    assert isinstance(domain, Verified)
    fresh = domain.renewed(1)
    assert domain.renewed(0).items("val") == domain.items("val")
    assert [fresh.items(split) == domain.items(split) for split in SPLITS] == [True, False, True]
    assert fresh.data_sha256 == domain.data_sha256
    keywords = {item.id: by_keywords(item) for item in fresh.items("val")}
    assert mean(fresh, "val", keywords) > 0.8


def test_equal_options_give_equal_data_and_each_option_changes_it(domain: Support) -> None:
    assert load("support").data_sha256 == domain.data_sha256
    for options in ({"rows_seed": "2"}, {"beyond": "true"}):
        assert make(None, options).data_sha256 != domain.data_sha256


def test_beyond_asks_for_more_than_keywords() -> None:
    domain = make(None, {"beyond": "true"})
    answers = {item.id: by_keywords(item) for item in domain.items("train")}
    assert 0.5 < mean(domain, "train", answers) < 0.9
    questions = " ".join(item.inputs["question"] for item in domain.items("train"))
    assert "whole year" in questions
    assert "Which product" in questions


def test_a_bad_option_is_refused() -> None:
    with pytest.raises(DomainDataError, match="options: rows_seed, beyond"):
        make(None, {"questions": "3"})
