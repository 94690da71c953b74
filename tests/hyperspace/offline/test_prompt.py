import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperspace.offline.prompt import take_apart

LABELS = ("almost", "correct", "incorrect", "partial")
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


@st.composite
def namings(draw: st.DrawFn) -> str:
    """A sentence that names the labels, in words that are composed here."""
    quote = draw(st.sampled_from(["", "`", '"', "'", "*"]))
    *most, last = (f"{quote}{label}{quote}" for label in LABELS)
    final = draw(st.sampled_from([" or ", ", or ", " and ", ", and "]))
    listing = ", ".join(most) + final + last
    in_bars = draw(st.sampled_from([" | ", " / ", ", "])).join([*most, last])
    in_bullets = "".join(f"\n{draw(st.sampled_from('-*'))} {item}" for item in [*most, last])
    polite = draw(st.sampled_from(["Please ", "", "Always ", "You must "]))
    verb = draw(st.sampled_from(["answer with", "reply with", "respond with", "choose", "pick"]))
    noun = draw(st.sampled_from(["labels", "verdicts", "options", "grades", "categories"]))
    frames = [
        f"{polite}{verb} one of {listing}.",
        f"{polite}{verb} one of these {noun}: {listing}.",
        f"{polite}{verb} one of the {noun}: {in_bars}.",
        f"The {noun} are {listing}.",
        f"Allowed {noun}: {in_bars}",
        f"Possible {noun}:{in_bullets}",
        f"{polite}{verb} one of the following {noun}:\n{in_bullets}\n\nBe strict.",
    ]
    return draw(st.sampled_from(frames))


@pytest.mark.long
@settings(max_examples=150, deadline=None)
@given(namings())
def test_labels_are_found_however_they_are_named(sentence: str) -> None:
    assert take_apart(f"{INPUTS}\n{sentence}").labels == LABELS


@pytest.mark.parametrize(
    "sentence",
    [
        "Respond in JSON format.",
        "Choose your words with care and be brief.",
        "Read the task and the options, and answer it.",
        "Give only the result, not the way to it.",
    ],
)
def test_a_sentence_without_a_list_names_no_labels(sentence: str) -> None:
    assert take_apart(f"{INPUTS}\n{sentence}").labels == ()


def test_labels_inside_the_inputs_name_nothing() -> None:
    assert take_apart(str({"a": "one of these labels: x, y", "b": "z"})).labels == ()


def test_the_key_of_the_demanded_object_is_found() -> None:
    instructions = 'Answer like this:\n<json>\n{"response": ...}\n</json>'
    assert take_apart(f"{INPUTS}\n{instructions}").key == "response"
    assert take_apart("Just answer.").key == ""


def test_complaints_about_earlier_answers_are_counted() -> None:
    naming = "Labels: almost, correct, partial.\n"
    text = naming + "Earlier answers were almost too often and correct too seldom.\n" * 2
    assert take_apart(text).leanings == {"almost": -2, "correct": 2, "partial": 0}


@pytest.mark.parametrize("text", ["", "{", "'" * 20_000, "'a': " * 4_000, "\\" * 20_000])
def test_hostile_prompts_are_read_in_no_time(text: str) -> None:
    assert take_apart(text).labels == ()
