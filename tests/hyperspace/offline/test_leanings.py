"""What instructions ask for, in words that are composed here and that the grader does not know."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperspace.messages import ChatRequest, Message
from hyperspace.offline.grader import Grader
from hyperspace.offline.leanings import read_leanings
from hyperspace.offline.moves.tuning import Diagnosis, next_sentence

LABELS = ("almost", "correct", "incorrect", "partial")
NAMING = f"The response is exactly one of these labels: {', '.join(LABELS)}."
OPENING = st.sampled_from(
    ["Earlier answers were", "So far the verdict was", "My colleague put down", "It came out as"]
)
TOO = st.sampled_from(["too", "far too", "much too", "overly", "unduly", "a bit too"])
HIGH = st.sampled_from(["often", "frequently", "liberally", "generously", "commonly", "freely"])
LOW = st.sampled_from(["seldom", "rarely", "infrequently", "sparingly", "reluctantly"])
JOINT = st.sampled_from([" and ", ", and ", "; ", ", but ", " while ", ", whereas ", ". "])
GIVEN = st.sampled_from(["given", "awarded", "handed out", "put on papers", "written"])
VERDICTS = st.sampled_from(["verdicts", "replies", "marks", "papers", "students"])
GIVE = st.sampled_from(["give", "use", "award", "say", "assign", "choose"])
OPEN_REQUEST = st.sampled_from(["Please ", "Next time, ", "From here on, ", "", "You should "])
STANDARD = st.sampled_from(
    ["it should", "was fair", "it deserves", "the labels have it", "is right"]
)
OVER = st.sampled_from(["overused", "over-represented", "overdone", "in excess"])
UNDER = st.sampled_from(["underused", "under-represented", "neglected", "overlooked", "missing"])
QUOTE = st.sampled_from(["", "`", '"', "'", "*"])


@st.composite
def paraphrases(draw: st.DrawFn) -> str:
    """One sentence or two that say that X was answered too often and Y too seldom."""
    quote, joint = draw(QUOTE), draw(JOINT)
    x, y = f"{quote}X{quote}", f"{quote}Y{quote}"
    too, high, low, verb = draw(TOO), draw(HIGH), draw(LOW), draw(GIVE)
    frames = [
        (f"{draw(OPENING)} {x} {too} {high}", f"{y} {draw(TOO)} {low}"),
        (f"{x} was {draw(GIVEN)} {too} {high}", f"{y} was {draw(GIVEN)} {too} {low}"),
        (f"too many {draw(VERDICTS)} were {x}", f"too few {draw(VERDICTS)} were {y}"),
        (f"{x} is {draw(OVER)}", f"{y} is {draw(UNDER)}"),
        (f"{draw(OPEN_REQUEST)}{verb} {x} less {high}", f"{verb} {y} more {draw(HIGH)}"),
        (f"{x} should be {draw(GIVEN)} less {high}", f"{y} should be {draw(GIVEN)} more {high}"),
        (
            f"{x} was {draw(GIVEN)} more {high} than {draw(STANDARD)}",
            f"{y} was {draw(GIVEN)} less {high} than {draw(STANDARD)}",
        ),
        (f"{x} was {draw(GIVEN)} {too} {high}", f"{y} was not {draw(GIVEN)} {high} enough"),
        (f"do not {verb} {x} so {high}", f"do not be {too} sparing with {y}"),
    ]
    first, second = draw(st.sampled_from(frames))
    if draw(st.booleans()):
        first, second = second, first
    return f"{first}{joint}{second}."


def spoken(sentence: str, more: str, fewer: str) -> str:
    """A sentence about X and Y, about labels."""
    text = sentence.replace("X", fewer).replace("Y", more)
    return text[0].upper() + text[1:]


@pytest.mark.long
@settings(max_examples=300, deadline=None)
@given(paraphrases(), st.permutations(LABELS))
def test_a_paraphrase_is_read_as_what_the_policies_write(sentence: str, labels: list[str]) -> None:
    more, fewer, *_ = labels
    assert read_leanings(spoken(sentence, more, fewer), LABELS) == {
        label: (label == more) - (label == fewer) for label in LABELS
    }


@pytest.mark.long
@settings(max_examples=20, deadline=None)
@given(st.lists(paraphrases(), min_size=3, max_size=3))
def test_the_grader_answers_as_if_the_policy_had_written_it(sentences: list[str]) -> None:
    diagnosis = Diagnosis({"almost": 1, "correct": 9}, {"almost": 9, "correct": 1}, NAMING)
    naming = "The response is exactly one of these labels: almost, correct."
    written = next_sentence(diagnosis._replace(prompt=naming), 1)
    assert written is not None
    original = answers(f"{NAMING}\n{written}")
    assert original != answers(NAMING)
    for sentence in sentences:
        assert answers(f"{NAMING}\n{spoken(sentence, 'correct', 'almost')}") == original


def answers(instructions: str) -> list[str]:
    """What the grader answers to students whose work is laid out less and less."""
    works = ["$a$ $b$\n" * 3 + "and so on " * words for words in range(1, 30)]
    prompts = [f"{ {'student_answer': work} }\n{instructions}" for work in works]
    return [Grader().reply(ChatRequest("g", (Message("user", text),))).text for text in prompts]


@pytest.mark.parametrize(
    "text",
    [
        "Prefer Y over X.",
        "Say Y rather than X more often.",
        "Shift some answers from X to Y.",
        "There was an excess of X and a shortage of Y.",
        "Lean away from X and towards Y.",
        "Fewer X, more Y.",
    ],
)
def test_comparisons_name_one_for_more_and_one_for_less(text: str) -> None:
    assert read_leanings(spoken(text, "correct", "partial"), LABELS) == {
        **dict.fromkeys(LABELS, 0),
        "correct": 1,
        "partial": -1,
    }


def test_a_label_in_a_list_goes_with_its_neighbours() -> None:
    text = "Almost, partial and incorrect were given too often."
    shifts = {"almost": -1, "partial": -1, "incorrect": -1, "correct": 0}
    assert read_leanings(text, LABELS) == shifts


@pytest.mark.parametrize(
    "text",
    [
        NAMING,
        "The response is the label alone, in lower case.",
        "Answer correct if the proof holds, and partial where half of it stands.",
        "Work too often stops half-way.",
        "",
    ],
)
def test_what_asks_for_no_more_of_a_label_moves_none(text: str) -> None:
    assert not any(read_leanings(text, LABELS).values())


def test_without_labels_nothing_leans() -> None:
    assert read_leanings("Give more.", ()) == {}


@pytest.mark.parametrize("text", ["correct, " * 9_000, "too often " * 9_000, "a-" * 20_000])
def test_a_hostile_text_is_read_in_no_time(text: str) -> None:
    assert not any(read_leanings(text, LABELS).values())
