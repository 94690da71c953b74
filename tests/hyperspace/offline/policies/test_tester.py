"""`offline/tester`: its cases are no items in other letters, and mostly have the label they say."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from hyperspace.extensions.arena.newborn import is_meta_agent
from hyperspace.messages import ChatRequest, Message
from hyperspace.offline.policies.tester import STRATEGIES, CaseMaker
from hyperspace.tasks.email_validation.domain import EmailOptions, EmailValidation
from hyperspace.workspace.seed_code import seed_of_tester
from tests.support.runs.simulation import converse

DOMAIN = EmailValidation(EmailOptions())
META = seed_of_tester()["meta_agent.py"].decode()


def lay_out(folder: Path, failing: float = 0.5) -> None:
    labels = DOMAIN.labels("train")
    rows = [
        {"inputs": item.inputs, "label": labels[item.id], "failing": failing * (number % 4 == 0)}
        for number, item in enumerate(DOMAIN.items("train"))
    ]
    (folder / "evals").mkdir()
    (folder / "evals" / "items.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (folder / "evals" / "cases.jsonl").write_text("")


def proposed(folder: Path, policy: CaseMaker, seed: int = 1) -> list[dict[str, Any]]:
    converse(policy, folder, seed)
    return [json.loads(line) for line in (folder / "cases.jsonl").read_text().splitlines()]


@pytest.mark.long
def test_most_of_its_labels_are_right_and_no_case_is_an_item_in_other_letters(
    tmp_path: Path,
) -> None:
    lay_out(tmp_path)
    forms = {DOMAIN.normal_form(item.inputs) for item in DOMAIN.items("train")}
    right, cases = 0, list[dict[str, Any]]()
    for seed in range(5):
        cases += proposed(tmp_path, CaseMaker(), seed)
    for case in cases:
        assert DOMAIN.normal_form(case["inputs"]) not in forms
        right += DOMAIN.decide(case["inputs"]).label == case["label"]
    # Seven of ten on average: what it draws hangs on the folder's name, which is never the same.
    assert right > 0.5 * len(cases) >= 20


@pytest.mark.long
def test_equal_requests_give_equal_cases_and_another_manner_others(tmp_path: Path) -> None:
    lay_out(tmp_path)
    first = proposed(tmp_path, CaseMaker())
    assert proposed(tmp_path, CaseMaker()) == first
    assert proposed(tmp_path, CaseMaker(manner="random")) != first


def test_asked_to_change_a_meta_agent_it_changes_the_strategy_alone() -> None:
    asked = ChatRequest(
        model="tester", messages=(Message("user", f"Change it.\n```python\n{META}\n```\n"),), seed=3
    )
    answer = CaseMaker().reply(asked).text
    code = answer.removeprefix("```python\n").removesuffix("```").rstrip("\n") + "\n"
    assert is_meta_agent(code)
    changed = [
        (before, after)
        for before, after in zip(META.splitlines(), code.splitlines(), strict=True)
        if before != after
    ]
    ((before, after),) = changed
    assert before.startswith("STRATEGY")
    assert any(text in after for text in STRATEGIES.values())


@pytest.mark.parametrize(
    "code",
    [
        "",
        "no code",
        "class MetaAgent:\n    pass\n",
        "def forward(): ...",
        "x" * 300_000,
        "(" * 9_999,
    ],
)
def test_what_is_no_meta_agent_is_told(code: str) -> None:
    assert not is_meta_agent(code)


def test_its_seed_is_a_meta_agent() -> None:
    assert is_meta_agent(META)
    assert ast.parse(META)
