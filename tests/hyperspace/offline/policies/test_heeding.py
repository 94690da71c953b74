"""`offline/heeding`: true advice moves the search to the failing class, shuffled advice no help."""

import ast
import json
import statistics
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest

from hyperspace.offline.policies.heeding import Heeding, advice_in, passages_of
from tests.support.runs.advised import KINDS, Told
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
    """Half of the search goes there, so it changes more often than any other class."""
    there, elsewhere = 0, list[float]()
    for number, task in enumerate(told):
        assert task.worst.startswith("kind_")
        after = task.heeded(tmp_path / str(number), task.advice)
        changed = changed_functions(task.code, after.code)
        there += task.worst in changed
        elsewhere.append(len(changed - {task.worst}) / (KINDS - 1))
    assert there / len(told) > statistics.fmean(elsewhere)


def test_shuffled_advice_does_not_help(told: list[Told], tmp_path: Path) -> None:
    """What is said of another run points at what fails there: less becomes right of what fails."""
    own, shuffled = list[float](), list[float]()
    for number, task in enumerate(told):
        others = [other for other in told if other.worst != task.worst]
        other = others[number % len(others)]
        for name, advice, gains in (("own", task, own), ("other", other, shuffled)):
            after = task.heeded(tmp_path / f"{number}-{name}", advice.advice)
            gains.append(task.right_of_worst(after) - task.right_of_worst(task.first))
    assert statistics.fmean(own) > statistics.fmean(shuffled)


def test_advice_that_points_at_nothing_that_helps_leaves_half_of_the_search(
    told: list[Told], tmp_path: Path
) -> None:
    task = told[0]
    bad = {"issue_type": "style", "fix": "Look at `__init__`."}
    assert task.heeded(tmp_path, bad).train > task.first.train


def test_advice_is_read_from_the_instruction_and_prose_is_none() -> None:
    record = {"issue_type": "wrong: kind kind_3", "fix": "Look at kind_3."}
    told = f"# Advice\n```json\n{json.dumps(record)}\n```\n```json\n{{no\n```\n```json\n[1]\n```\n"
    assert list(advice_in(told)) == [record]
    assert passages_of([record]) == [["wrong", "kind", "kind_3", "Look"]]
    assert list(advice_in("Make it better.")) == []


def test_without_advice_it_climbs_as_a_climber_does(told: list[Told], tmp_path: Path) -> None:
    task = told[0]
    lay_out(tmp_path, task.domain, [task.first], [])
    said = converse(Heeding(trials=20), tmp_path, 1)
    assert any("evolve" in call or '"mode": ' in call.replace("\\", "") for call in said.calls)


def test_marks_count_before_words_and_words_that_all_advice_shares_do_not() -> None:
    first = {"issue_type": "wrong items", "fix": "Too many items are long. Look at labels."}
    second = {"issue_type": "wrong items", "fix": "Some items are short. Look at octets."}
    assert passages_of([first, second]) == [
        ["Too", "many", "long", "labels"],
        ["Some", "short", "octets"],
    ]
    marked = {"issue_type": "wrong items", "fix": "Look at `top letters`, `measure`."}
    assert passages_of([marked, first])[0] == ["top letters", "measure"]


CODE = """LIMITS = {"top letters": (3, 5), "labels": (7, 9)}

def measure(text):
    \"\"\"Count labels 1 2 3.\"\"\"
    size = 11
    return size  # labels

def other(text):
    size = 13
    return size
"""
DRAW = """
import collections, sys
drawn = collections.Counter()
rng = random.Random(1)
for _ in range(400):
    changed = vary(SOURCE, (), rng, 0.3, "both")
    pairs = zip(SOURCE.split("\\n"), changed.split("\\n"))
    drawn[next(n for n, (a, b) in enumerate(pairs) if a != b)] += 1
print("RESULT", json.dumps([drawn[0], drawn[4], drawn[8]]))
"""


def drawn(tmp_path: Path, *advice: list[str]) -> list[int]:
    """How many of 400 changes lie in the lines of LIMITS, `measure` and `other`."""
    files = resources.files("hyperspace.offline.inside")
    names = ("surgery.py", "advised/pointed.py")
    parts = [files.joinpath(name).read_text("utf-8") for name in names]
    text = "\n".join([*parts, f"SOURCE = {CODE!r}", DRAW])
    order = json.dumps({"advice": advice})
    done = subprocess.run(
        [sys.executable, "-", order],
        input=text,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=True,
    )
    return json.loads(done.stdout.removeprefix("RESULT "))


def test_half_of_the_changes_are_drawn_where_advice_points(tmp_path: Path) -> None:
    anywhere = drawn(tmp_path)
    assert anywhere == drawn(tmp_path, ["nothing", "here"])  # no such name: as without advice
    assert anywhere == drawn(tmp_path, ["size", "return"])  # in too much of the code
    function = drawn(tmp_path, ["other"])
    assert function[2] > 200 > 2 * anywhere[2]
    assert min(function) > 20
    key = drawn(tmp_path, ["absent"], ["top letters"])  # the older piece names something
    assert key[0] > 200 + anywhere[0] / 3
    assert drawn(tmp_path, ["measure"])[1] > 200 > 2 * anywhere[1]  # no word in comments counts
