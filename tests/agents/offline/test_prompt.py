import json

import pytest

from agents.offline.grader import take_apart

INPUTS = {
    "domain": "grading",
    "problem": 'Let "n" be odd; isn\'t n^2?\nShow it.',
    "student_answer": "{x: \\mathbb{R}} ```py\n``` \\n 'a': 'b'",
}


@pytest.mark.parametrize("printed", [str(INPUTS), json.dumps(INPUTS), json.dumps(INPUTS, indent=2)])
def test_inputs_are_read_as_python_or_json_prints_them(printed: str) -> None:
    prompt = take_apart(f"You solve a task.\n```\n{printed}\n```\nAnswer.")
    assert dict(prompt.inputs) == INPUTS


@pytest.mark.parametrize(
    "sentence",
    [
        "The response is exactly one of these labels: almost, correct, incorrect, partial.",
        'Answer with one of: "almost", "correct", "incorrect" or "partial".',
        "Labels: almost | correct | incorrect | partial",
        "Choose either of: `almost`, `correct`, `incorrect`, or `partial`. Be strict.",
    ],
)
def test_labels_are_found_in_the_instructions(sentence: str) -> None:
    labels = take_apart(f"{INPUTS}\n{sentence}").labels
    assert labels == ("almost", "correct", "incorrect", "partial")


def test_labels_inside_the_inputs_name_nothing() -> None:
    assert take_apart(str({"a": "one of these labels: x, y", "b": "z"})).labels == ()


def test_the_key_of_the_demanded_object_is_found() -> None:
    instructions = 'Answer like this:\n<json>\n{"response": ...}\n</json>'
    assert take_apart(f"{INPUTS}\n{instructions}").key == "response"
    assert take_apart("Just answer.").key == ""


def test_complaints_about_earlier_answers_are_counted() -> None:
    text = "Earlier answers were almost too often and correct too seldom.\n" * 2
    assert take_apart(text).leanings == (("almost", "correct"),) * 2


@pytest.mark.parametrize("text", ["", "{", "'" * 20_000, "'a': " * 4_000, "\\" * 20_000])
def test_hostile_prompts_are_read_in_no_time(text: str) -> None:
    assert take_apart(text).labels == ()
