"""What a source costs on labelled items, measured anew and beside one that was measured."""

import json
import random
from functools import cache
from importlib import resources
from types import SimpleNamespace
from typing import Any

import pytest

from hyperspace.tasks.registry import load
from tests.support.tasks.freight import SEED

HELPERS = ("inside/surgery", "inside/bench", "inside/judging")
AGENT = "class TaskAgent:\n    def __init__(self, model): {}\n    def forward(self, inputs):\n"


@cache
def programs() -> Any:
    """The helpers as they stand before a program: one text."""
    files = (resources.files("hyperspace.offline").joinpath(f"{name}.py") for name in HELPERS)
    space: dict[str, Any] = {"__name__": "programs"}
    exec("\n\n".join(file.read_text("utf-8") for file in files), space)  # noqa: S102
    return SimpleNamespace(**space)


def panel() -> tuple[str, list[dict[str, Any]]]:
    domain = load("panel?kinds=4&per=30")
    labels = domain.labels("train")
    items = [{"inputs": i.inputs, "label": labels[i.id]} for i in domain.items("train")]
    return domain.seed_files()["task_agent.py"].decode(), items


def freight() -> tuple[str, list[dict[str, Any]]]:
    sizes = [(weight, distance) for weight in (1, 7) for distance in (10, 900)]
    parcels = [{"weight": w, "distance": d, "bulky": b} for w, d in sizes for b in (False, True)]
    return SEED, [{"inputs": parcel, "label": "30"} for parcel in parcels]


def answering(body: str, init: str = "pass") -> str:
    return AGENT.format(init) + f"        {body}\n"


def loss(source: str) -> float:
    return programs().Judge([{"inputs": {}, "label": "a"}]).measure(source).loss


def test_an_endless_answer_costs_more_than_a_failing_one() -> None:
    assert loss(answering("while True: pass")) > loss(answering("raise ValueError"))
    assert loss(answering("return 'A ', []")) == 0


@pytest.mark.parametrize("task", [panel, freight])
def test_a_variant_costs_beside_its_start_what_it_costs_alone(task: Any) -> None:
    source, items = task()
    judge, rng = programs().Judge(items), random.Random(2)
    here = judge.measure(source)
    for _ in range(30):
        varied = programs().vary(here.source, ("yes", "no"), rng, 0.3, "both")
        beside, alone = judge.measure(varied, here), judge.measure(varied)
        assert (beside.loss, beside.costs, beside.ran) == (alone.loss, alone.costs, alone.ran)
        here = min(here, beside, key=lambda judged: judged.loss)


def test_only_items_that_ran_what_changed_are_answered_again() -> None:
    source, items = panel()
    judge = programs().Judge(items)
    start = judge.measure(source)
    # Labels that no item has: every answer that is given again costs.
    judge.items = [item | {"label": "neither"} for item in items]
    again = judge.measure(source.replace("4.0", "-4.0", 1), start)
    kinds = [item["inputs"]["kind"] for item in items]
    moved = {k for k, old, new in zip(kinds, start.costs, again.costs, strict=True) if old != new}
    assert moved == {"kind_0"}


@pytest.mark.parametrize(
    ("old", "new"), [("pass", "self.x = 1"), ("class", "LIMIT = 3\nclass"), ("'a'", "'b'")]
)
def test_a_change_of_what_every_item_runs_is_measured_on_all(old: str, new: str) -> None:
    judge = programs().Judge([{"inputs": {}, "label": "a"}])
    source = answering("return 'a', []")
    start = judge.measure(source)
    judge.items = [{"inputs": {}, "label": "none"}]
    assert judge.measure(source.replace(old, new), start).loss == 1


def test_equal_constants_of_other_types_are_a_change() -> None:
    judge = programs().Judge([{"inputs": {}, "label": "1"}])
    start = judge.measure(answering("return str(1), []"))
    assert start.loss == 0
    assert judge.measure(answering("return str(True), []"), start).loss == 1


@pytest.mark.long
def test_items_are_bounded_by_the_work_that_they_take() -> None:
    items = [json.loads('{"inputs": {}, "label": "a"}') for _ in range(500)]
    affordable = programs().affordable
    assert len(affordable(answering("return 'a', []"), items)) == 500
    slow = answering("return str(sum(i for i in range(500))), []")
    assert 60 <= len(affordable(slow, items)) < 500
    assert len(affordable(answering("while True: pass"), items)) == 60
    assert len(affordable("no python", items)) == 60
