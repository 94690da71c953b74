"""Which proposed cases stand is the oracle's word, whatever a tester writes."""

import json
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperspace.extensions.arena.judging import (
    LONGEST_CASE,
    MOST_PROPOSED,
    judge_cases,
    open_forms,
)
from hyperspace.tasks.email_validation.domain import EmailOptions, EmailValidation

DOMAIN = EmailValidation(EmailOptions())
FORMS = open_forms(DOMAIN, DOMAIN)
ADDRESSES = st.text('ab1@.-_"\\[]: é\n', max_size=40)


def line(address: str, label: str) -> str:
    return json.dumps({"inputs": {"address": address}, "label": label})


LINES = st.one_of(
    st.builds(line, ADDRESSES, st.sampled_from(["valid", "invalid", " VALID ", "perhaps"])),
    st.text(max_size=60),
)


def verdicts(*lines: str) -> list[str]:
    return [case.verdict for case in judge_cases(DOMAIN, "\n".join(lines), FORMS, "t-1")]


@given(st.lists(LINES, max_size=MOST_PROPOSED + 3))
def test_what_stands_has_the_references_label_and_a_form_of_its_own(lines: list[str]) -> None:
    cases = judge_cases(DOMAIN, "\n".join(lines), FORMS, "t-1")
    standing = [case.case() for case in cases if case.stands]
    assert all(case.label == DOMAIN.judge(case.inputs["address"])[0] for case in standing)
    forms = [DOMAIN.normal_form(case.inputs) for case in standing]
    assert len({*forms}) == len(forms)
    assert not FORMS & {*forms}
    assert all(case.reason for case in cases if not case.stands)
    assert len({case.id for case in cases}) == len(cases) <= MOST_PROPOSED + 1


@pytest.mark.parametrize(
    ("proposed", "verdict"),
    [
        (line("a..b@c--d.co", "invalid"), "stands"),
        (line("a..b@c--d.co", "Invalid "), "stands"),
        (line("a..b@c--d.co", "valid"), "wrong"),
        (line("a..b@c--d.co", "perhaps"), "malformed"),
        ("a..b@c.co,invalid", "malformed"),
        ("[1]", "malformed"),
        ("[" * 2_000, "malformed"),
        ('{"inputs": {"address": 5}, "label": "valid"}', "malformed"),
        ('{"inputs": {"address": "a@b.co", "x": 1}, "label": "valid"}', "malformed"),
        ('{"inputs": {"address": "a@b.co"}, "label": "valid", "x": 1}', "malformed"),
        ('{"inputs": {"address": "\\ud800@b.co"}, "label": "invalid"}', "malformed"),
        (line("a" * 1024**2, "invalid"), "too_long"),
        (line("é" * LONGEST_CASE, "invalid"), "too_long"),
    ],
)
def test_each_proposal_has_its_verdict(proposed: str, verdict: str) -> None:
    assert verdicts(proposed) == [verdict]


def test_a_train_item_in_other_letters_is_a_near_duplicate() -> None:
    rng = random.Random(3)
    item = DOMAIN.items("train")[7]
    label = DOMAIN.judge(item.inputs["address"])[0]
    address = "".join(rng.choice("qrst") if c.islower() else c for c in item.inputs["address"])
    assert verdicts(line(address, label)) == ["near_duplicate"]


def test_the_second_of_two_near_duplicates_falls() -> None:
    twice = line("a..b@c--d.co", "invalid"), line("x..y@z--q.io", "invalid")
    assert verdicts(*twice) == ["stands", "near_duplicate"]


def test_only_the_first_lines_are_looked_at_and_the_rest_is_told_of_once() -> None:
    many = [line(f"{'a' * n}..b@c--d.co", "invalid") for n in range(1, MOST_PROPOSED + 40)]
    assert Counter(verdicts(*many)) == {"stands": MOST_PROPOSED, "too_many": 1}
    assert verdicts("", "  ") == []


def test_a_refused_case_keeps_only_the_beginning_of_its_text() -> None:
    (case,) = judge_cases(DOMAIN, line("a" * 1024**2, "invalid"), FORMS, "t-1")
    assert len(case.proposed) <= 300
    assert not case.inputs
