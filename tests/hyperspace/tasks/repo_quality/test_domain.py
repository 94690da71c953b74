import ast
from typing import Any

import pytest

from hyperspace.tasks.base import SPLITS, Split
from hyperspace.tasks.registry import load
from hyperspace.tasks.repo_quality.domain import repo_quality


def seed_agent() -> Any:
    space: dict[str, Any] = {"__name__": "task_agent"}
    exec(repo_quality().seed_files()["task_agent.py"], space)  # noqa: S102 - our own file
    return space["TaskAgent"]("offline")


@pytest.mark.parametrize(("split", "score"), [("train", 0.65), ("val", 0.65), ("test", 0.80)])
def test_the_seed_agent_scores_as_published(split: Split, score: float) -> None:
    domain, agent = load("repo_quality"), seed_agent()
    predictions = {item.id: agent.forward(item.inputs)[0] for item in domain.items(split)}
    assert domain.score(split, predictions) == pytest.approx(score)


def test_the_seed_agent_passes_the_staged_evaluation() -> None:
    domain, agent = load("repo_quality"), seed_agent()
    staged = domain.items("train")[: domain.staged_items]
    assert domain.score("train", {i.id: agent.forward(i.inputs)[0] for i in staged}) > 0.2


def test_the_seed_agent_answers_the_smoke_item() -> None:
    prediction, history = seed_agent().forward(load("repo_quality").smoke_item().inputs)
    assert prediction in ("accept", "reject")
    assert history == []


def test_the_seed_agent_imports_the_standard_library_only() -> None:
    tree = ast.parse(repo_quality().seed_files()["task_agent.py"])
    imports = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert imports == ["typing"]


def test_the_domain_says_that_no_model_is_asked() -> None:
    domain = load("repo_quality")
    assert (domain.calls_model, domain.staged_items, domain.metric) == (False, 10, "accuracy")
    assert [len(domain.items(split)) for split in SPLITS] == [20, 20, 10]
