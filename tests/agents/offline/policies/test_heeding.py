"""`offline/heeding`: true advice moves the search to the failing class, shuffled advice no help."""

import ast
import json
import statistics
from pathlib import Path

import pytest

from agents.offline.policies.heeding import Heeding, advice_in, words_of
from tests.support.runs.advised import Told
from tests.support.runs.simulation import converse, lay_out

pytestmark = pytest.mark.long

SEEDS = range(1, 6)


def changed_functions(before: str, after: str) -> set[str]:
    texts = (
        {
            node.name: ast.unparse(node)
            for node in ast.parse(code).body
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        }
        for code in (before, after)
    )
    old, new = texts
    return {name for name in new if old[name] != new[name]}


@pytest.fixture(scope="module")
def told() -> list[Told]:
    return [Told(seed) for seed in SEEDS]


def test_true_advice_moves_the_search_to_the_class_that_fails(
    told: list[Told], tmp_path: Path
) -> None:
    for number, task in enumerate(told):
        assert task.worst.startswith("kind_")
        after = task.heeded(tmp_path / str(number), task.advice)
        assert changed_functions(task.code, after.code) <= {task.worst}
        assert task.worst in after.said.closing


def test_shuffled_advice_does_not_help(told: list[Told], tmp_path: Path) -> None:
    """Advice of another run is about a class that fails there: it gains less than one's own."""
    own, shuffled = list[float](), list[float]()
    for number, task in enumerate(told):
        others = [other for other in told if other.worst != task.worst]
        other = others[number % len(others)]
        for name, advice, gains in (("own", task, own), ("other", other, shuffled)):
            after = task.heeded(tmp_path / f"{number}-{name}", advice.advice)
            gains.append(after.train - task.first.train)
            assert changed_functions(task.code, after.code) <= {advice.worst}
    assert min(own) >= 0
    assert statistics.fmean(own) > statistics.fmean(shuffled)


def test_advice_is_read_from_the_instruction_and_prose_is_none() -> None:
    record = {"issue_type": "wrong: kind kind_3", "fix": "Look at kind_3."}
    told = f"# Advice\n```json\n{json.dumps(record)}\n```\n```json\n{{no\n```\n```json\n[1]\n```\n"
    assert list(advice_in(told)) == [record]
    assert words_of(record) == ["wrong", "kind", "kind_3", "Look"]
    assert list(advice_in("Make it better.")) == []


def test_without_advice_it_climbs_as_a_climber_does(told: list[Told], tmp_path: Path) -> None:
    task = told[0]
    lay_out(tmp_path, task.domain, [task.first], [])
    said = converse(Heeding(trials=20), tmp_path, 1)
    assert any("evolve" in call or '"mode": ' in call.replace("\\", "") for call in said.calls)


def test_advice_that_names_nothing_leaves_the_whole_code(told: list[Told], tmp_path: Path) -> None:
    task = told[0]
    vague = {"issue_type": "quality", "fix": "Think harder."}
    after = task.heeded(tmp_path, vague)
    assert "everywhere" in after.said.closing
