import pytest

from hyperspace.messages import ChatRequest, Message
from hyperspace.offline.grader import Grader, merit, pick
from hyperspace.tasks.base import SPLITS
from hyperspace.tasks.imo_grading.domain import LABELS
from hyperspace.tasks.registry import load
from tests.support.paths import SHARED

REAL = SHARED / "data" / "imo_grading"
FORM = '<json>\n{"response": ...}\n</json>'
NAMING = "The response is exactly one of these labels: almost, correct, incorrect, partial."
INPUTS = {"solution": "Add the cases.", "student_answer": "Add the cases.\n$1$\n"}


def ask(text: str) -> str:
    return Grader().reply(ChatRequest("g", (Message("user", text),))).text


def test_a_named_label_comes_in_the_demanded_form() -> None:
    assert ask(f"{INPUTS}\n{FORM}\n{NAMING}") == '<json>\n{"response": "correct"}\n</json>'


def test_without_labels_it_answers_in_its_own_words() -> None:
    answer = ask(f"{INPUTS}\n{FORM}")
    assert answer.startswith('<json>\n{"response": "I was told no labels')


def test_without_a_form_the_label_stands_alone() -> None:
    assert ask(f"{INPUTS}\n{NAMING}") == "correct"


def test_an_empty_conversation_is_answered() -> None:
    assert "no labels" in Grader().reply(ChatRequest("g", ())).text


def test_hedging_and_trying_out_cost_merit() -> None:
    sure = {"student_answer": "We add both sides.\nDone."}
    unsure = {"student_answer": "For example it seems that we add.\nPerhaps done."}
    assert merit(unsure) < merit(sure)


def test_complaints_move_ground_between_labels() -> None:
    labels = ("almost", "correct")
    assert pick(0.86, labels) == "almost"
    assert pick(0.86, labels, {"almost": -1, "correct": 1}) == "correct"


def test_labels_without_a_known_place_are_spread_in_their_order() -> None:
    assert [pick(worth, ("low", "middle", "high")) for worth in (0.1, 0.5, 0.9)] == [
        "low",
        "middle",
        "high",
    ]


@pytest.mark.long
@pytest.mark.skipif(not REAL.is_dir(), reason=f"the real rows are not at {REAL}")
def test_scores_on_the_real_rows_are_those_of_the_documentation() -> None:
    domain, order = load("imo_grading", data=REAL), sorted(LABELS)
    plain = {
        split: domain.score(
            split, {i.id: pick(merit(i.inputs), order) for i in domain.items(split)}
        )
        for split in SPLITS
    }
    assert plain == {"train": 0.18, "val": 0.18, "test": 0.24}
