"""What a reviewer's answer may be, and whether a change is what its advice named."""

import json
from typing import Any

import pytest

from hyperspace.extensions.levels.reviewing import read_advice
from hyperspace.extensions.levels.tries import was_followed
from hyperspace.options.advice import Advice

RECORD: dict[str, Any] = {
    "issue_type": "threshold",
    "severity": "medium",
    "fix": "Lower THRESHOLD, or look at `weigh`.",
    "confidence": 1,
    "pattern": "plateau",
    "evidence": ["train-01"],
}
CODE = """
THRESHOLD = 3.0

def weigh(security, tests):
    return 2 * security + tests

def answer(inputs):
    return weigh(**inputs) > THRESHOLD
"""
ADVICE = Advice("threshold", "low", "Lower THRESHOLD, or look at `weigh`.", 0.5, "none", ())


@pytest.mark.parametrize("around", ["{}", "```json\n{}\n```", "I think this: {} Good luck."])
def test_a_record_is_read_whatever_stands_around_it(around: str) -> None:
    advice = read_advice(around.replace("{}", json.dumps(RECORD | {"more": "ignored"})))
    assert (advice.pattern, advice.confidence, advice.evidence) == ("plateau", 1.0, ("train-01",))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"severity": "major"}, "major"),
        ({"confidence": 1.5}, "<= 1.0"),
        ({"confidence": "high"}, "float"),
        ({"pattern": "stuck"}, "stuck"),
        ({"fix": ""}, "length >= 1"),
        ({"fix": "x" * 4_001}, "length <= 4000"),
        ({"evidence": "train-01"}, "array"),
        ({"evidence": [3]}, "str"),
    ],
)
def test_anything_else_is_refused_with_the_reason(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_advice(json.dumps(RECORD | change))


@pytest.mark.parametrize("answer", ["", "Make it better.", "}{", "{'fix': 'x'}", '{"fix": "x"}'])
def test_prose_is_no_record(answer: str) -> None:
    with pytest.raises(ValueError, match=r"JSON|malformed|missing"):
        read_advice(answer)


@pytest.mark.parametrize(
    ("old", "new", "followed"),
    [
        ("3.0", "2.5", "yes"),
        ("2 * security", "3 * security", "yes"),  # inside of what was named
        ("inputs) >", "inputs) + 1 >", "yes"),  # the line names both
        ("def answer(inputs)", "def answer(inputs, more=0)", "no"),
        ("", "", "no"),
    ],
)
def test_advice_is_followed_where_what_it_names_changes(old: str, new: str, followed: str) -> None:
    assert was_followed(ADVICE, CODE, CODE.replace(old, new, 1)) == followed


def test_advice_that_names_nothing_cannot_be_followed() -> None:
    vague = Advice("quality", "low", "Be more careful.", 0.5, "none", ())
    assert was_followed(vague, CODE, CODE.replace("3.0", "2.5")) == "unknown"


def test_code_that_cannot_be_read_is_compared_by_its_lines() -> None:
    broken = CODE.replace("def answer(inputs):", "def answer(inputs")
    assert was_followed(ADVICE, broken, broken.replace("3.0", "2")) == "yes"
