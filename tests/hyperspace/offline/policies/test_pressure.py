"""The policy `pressure` held against the published operator, which the tests have apart."""

import ast
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hyperspace.offline.policies.pressure import Pressure
from hyperspace.tasks.registry import load
from hyperspace.tasks.repository_rows import generate
from replication.policy.operator import breed, measure
from replication.policy.records import ArchivedPolicy, PolicyAgent
from tests.support.runs.simulation import Generation, answer_here, converse, lay_out, score

DOMAIN = load("repo_policy")
SEED = DOMAIN.seed_files()["task_agent.py"].decode()
ROWS = generate(1)


def record_of(code: str) -> dict[str, Any]:
    return ast.literal_eval(code.partition(" = ")[2].partition("\nBOUNDS")[0])


def children(folder: Path, count: int, policy: Pressure) -> list[Generation]:
    """Generations in a line, each the child of the one before."""
    line = [score(DOMAIN, 0, SEED, answer_here)]
    for number in range(1, count + 1):
        space = folder / str(number)
        lay_out(space, DOMAIN, line, [])
        said = converse(policy, space, 1)
        line.append(score(DOMAIN, number, (space / "task_agent.py").read_text(), answer_here, said))
    return line


def policies(agent: PolicyAgent) -> dict[str, Any]:
    """What the record of the offline policy has of an agent."""
    kept = msgspec.to_builtins(agent)
    memory = list(kept["meta_policy"].pop("memory"))
    del kept["lineage_notes"]
    return kept | {"memory": memory}


@pytest.mark.long
def test_its_children_are_those_of_the_published_operator(tmp_path: Path) -> None:
    entry = ArchivedPolicy(PolicyAgent(), measure(PolicyAgent(), ROWS), 0)
    for number, child in enumerate(children(tmp_path, 6, Pressure())[1:], 1):
        entry = breed(entry, ROWS, number, adaptive=True)
        assert record_of(child.code) == policies(entry.agent)
        assert child.train == pytest.approx(entry.evaluation.train_accuracy)
        assert child.test == pytest.approx(entry.evaluation.test_accuracy)


@pytest.mark.long
def test_a_frozen_meta_policy_changes_its_focus_alone(tmp_path: Path) -> None:
    first, *_, last = children(tmp_path, 3, Pressure(meta="frozen"))
    before, after = (record_of(one.code)["meta_policy"] for one in (first, last))
    assert before | {"focus_metric": ""} == after | {"focus_metric": ""}
    assert record_of(last.code)["task_policy"] != record_of(first.code)["task_policy"]


@pytest.mark.long
def test_a_child_names_its_parent_and_keeps_four_notes(tmp_path: Path) -> None:
    last = record_of(children(tmp_path, 5, Pressure())[-1].code)
    assert (last["agent_id"], last["parent_id"], last["generation"]) == (
        "agent-005",
        "agent-004",
        5,
    )
    assert len(last["memory"]) == 4


def test_only_the_record_changes(tmp_path: Path) -> None:
    code = children(tmp_path, 1, Pressure())[1].code
    assert code.partition(" = ")[0] == SEED.partition(" = ")[0]
    assert code.partition("\nBOUNDS")[2] == SEED.partition("\nBOUNDS")[2]


def test_code_without_a_record_stays_as_it_is(tmp_path: Path) -> None:
    domain = load("repo_quality")
    seed = domain.seed_files()["task_agent.py"].decode()
    lay_out(tmp_path, domain, [score(domain, 0, seed, answer_here)], [])
    said = converse(Pressure(), tmp_path, 1)
    assert said.closing == "No record could be changed (KeyError: 'RECORD')."
    assert (tmp_path / "task_agent.py").read_text() == seed
