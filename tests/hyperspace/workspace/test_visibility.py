"""What an agent may see of its results is what its workspace holds, and no more."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperspace.tasks.base import Item
from hyperspace.workspace.visibility import DEGREES, Visibility, parse_visibility
from hyperspace.workspace.workspace import PastGeneration, Strategy, TrainRows, materialize

TRAIN_SCORE, VAL_SCORE = 0.123456, 0.654321
LABEL, PREDICTION, INPUT = "label-canary", "prediction-canary", "input-canary"
EVERY = [
    Visibility(train=train, val=val)  # pyright: ignore[reportArgumentType]
    for train in DEGREES["train"]
    for val in DEGREES["val"]
]
ITEMS = tuple(Item(f"i{n}", {"q": INPUT}) for n in range(3))
ROWS = TrainRows(ITEMS, {item.id: LABEL for item in ITEMS})

pasts = st.builds(
    PastGeneration,
    generation=st.integers(0, 50),
    parent=st.none() | st.integers(0, 50),
    valid=st.booleans(),
    error=st.sampled_from(["", "broken"]),
    metric=st.just("accuracy"),
    train_score=st.none() | st.just(TRAIN_SCORE),
    val_score=st.none() | st.just(VAL_SCORE),
    train_predictions=st.dictionaries(st.sampled_from(["i0", "i1"]), st.just(PREDICTION)),
    staged_only=st.booleans(),
    task_agent=st.sampled_from(["", "x = 1\n"]),
)
strategies = st.builds(
    Strategy,
    agent=st.just("peer"),
    model=st.just("m"),
    generation=st.integers(0, 50),
    train_score=st.none() | st.just(TRAIN_SCORE),
    val_score=st.none() | st.just(VAL_SCORE),
    files=st.just({"task_agent.py": "y = 2\n"}),
)


def hidden(visible: Visibility) -> list[str]:
    canaries = {
        "full": [],
        "scores": [LABEL, PREDICTION, INPUT],
        "none": [LABEL, PREDICTION, INPUT, str(TRAIN_SCORE), "train_score"],
    }[visible.train]
    return canaries + ([str(VAL_SCORE), "val_score"] if visible.val == "none" else [])


@pytest.mark.long
@pytest.mark.parametrize("visible", EVERY, ids=str)
@given(history=st.lists(pasts, max_size=4), peers=st.lists(strategies, max_size=2))
def test_what_is_not_visible_is_in_no_file(
    visible: Visibility, history: list[PastGeneration], peers: list[Strategy]
) -> None:
    files = materialize({"task_agent.py": "x = 1\n"}, {}, ROWS, history, peers, visible)
    everything = "\n".join([*files, *(data.decode() for data in files.values())])
    assert [canary for canary in hidden(visible) if canary in everything] == []


def test_scores_alone_leave_no_predictions_and_no_labels() -> None:
    past = PastGeneration(1, 0, True, "", "accuracy", 0.5, 0.6, {"i0": "x"}, False, "")
    files = materialize({}, {}, ROWS, [past], [], Visibility(train="scores"))
    assert sorted(files) == [
        "evals/gen_1/eval_train/report.json",
        "evals/gen_1/eval_val/report.json",
        "evals/gen_1/metadata.json",
    ]
    assert json.loads(files["evals/gen_1/metadata.json"])["train_score"] == 0.5


def test_splits_that_are_not_named_keep_their_defaults() -> None:
    assert parse_visibility("train=none") == Visibility(train="none", val="scores", test="none")
    assert parse_visibility("val=none,train=scores") == Visibility(train="scores", val="none")


@pytest.mark.parametrize(
    "text", ["test=scores", "val=full", "dev=none", "train", "", "train=none,train=full"]
)
def test_labels_of_validation_and_anything_of_test_cannot_be_made_visible(text: str) -> None:
    with pytest.raises(ValueError, match=r"there are: train|can be|named twice"):
        parse_visibility(text)
