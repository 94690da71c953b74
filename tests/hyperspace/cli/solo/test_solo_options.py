"""Options of solo runs: the agent's own selection, diagnoses, ensembles, a look at test."""

import csv
import difflib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from hyperspace.extensions.ensemble.ensemble import combined
from hyperspace.kernel.state.digest import digest
from hyperspace.tasks.registry import load
from hyperspace.workspace.seed_code import selection_files
from tests.support.command import failed, hyperspace
from tests.support.sandboxes import needs_bubblewrap

pytestmark = pytest.mark.long

DOMAIN = load("repo_quality")
SELECTOR = "select_next_parent.py"
ZERO = "def select_next_parent(archive, seed):\n    return 0\n"
BROKEN = "def select_next_parent(archive, seed):\n    return len(archive)\n"
SOLO = ("solo", "--domain", "repo_quality", "--no-controls", "--seed", "7")


def played(results: Path, *options: str | Path, iterations: int = 2) -> Path:
    numbers = ("--iterations", str(iterations), "--results", results, "--json")
    done = hyperspace(*SOLO, *numbers, *options)
    assert done.returncode == 0, done.stderr
    return Path(json.loads(done.stdout)["run"])


def metadata(run: Path, generation: int) -> Any:
    return json.loads((run / "climber" / f"gen_{generation}" / "metadata.json").read_text())


def first_call(run: Path, purpose: str) -> Any:
    trace = run / "climber" / "gen_1" / "llm_calls.jsonl"
    calls = map(json.loads, trace.read_text().splitlines())
    return next(call for call in calls if call["purpose"] == purpose)


def selecting(folder: Path, code: str) -> Path:
    """A patch that puts code in place of the seed's way of choosing parents."""
    seed = selection_files()[SELECTOR].decode()
    before, after = seed.splitlines(keepends=True), code.splitlines(keepends=True)
    patch = folder / "selector.diff"
    patch.write_text("".join(difflib.unified_diff(before, after, SELECTOR, SELECTOR)))
    return patch


@needs_bubblewrap
def test_the_agents_own_code_chooses_its_parents_and_a_replay_chooses_again(tmp_path: Path) -> None:
    patch = selecting(tmp_path, ZERO)
    run = played(tmp_path / "r", "--selection", "evolvable", "--start-from", patch, iterations=3)
    found = [metadata(run, generation) for generation in (1, 2, 3)]
    assert [one["parent"] for one in found] == [0, 0, 0]
    assert [one["selection_error"] for one in found] == ["", "", ""]
    assert found[0]["parent_chosen_by"] == 0
    assert found[2]["parent_chosen_by"] == max(n for n in (0, 1, 2) if metadata(run, n)["valid"])
    done = hyperspace("replay", run, "--json")
    assert json.loads(done.stdout)["digest"] == digest(run)


@needs_bubblewrap
def test_an_answer_that_is_no_generation_leaves_the_choice_to_the_rule(tmp_path: Path) -> None:
    patch = selecting(tmp_path, BROKEN)
    run = played(tmp_path / "r", "--selection", "evolvable", "--start-from", patch)
    for generation in (1, 2):
        found = metadata(run, generation)
        assert found["selection_error"] == f"{generation} is no valid generation"
        assert metadata(run, found["parent"])["valid"]


@pytest.mark.parametrize(("arm", "of_task_agent"), [("dgm", False), ("dgm_custom", True)])
def test_a_failed_example_becomes_the_meta_agents_problem(
    tmp_path: Path, arm: str, of_task_agent: bool
) -> None:
    run = played(tmp_path, "--arm", arm, iterations=1)
    assert run.parent.name == arm
    asked = first_call(run, "diagnose")
    prompt = asked["messages"][0]["content"]
    assert ("task_agent.py" in prompt) == of_task_agent
    item = next(i for i in DOMAIN.items("train") if str(i.inputs["name"]) in prompt)
    with (run / "climber/gen_0/eval_train/predictions.csv").open() as file:
        row = next(row for row in csv.DictReader(file) if row["id"] == item.id)
    assert row["prediction"] != row["label"]
    assert f"The right answer: {row['label']}" in prompt
    told = first_call(run, "modify")["messages"][0]["content"]
    assert told.startswith("# Problem")
    assert asked["response"].strip() in told


def test_a_diagnosis_is_refused_where_agents_may_not_see_answers(tmp_path: Path) -> None:
    options = ("--arm", "dgm", "--visible", "train=scores", "--results", tmp_path)
    assert "--visible says train=scores" in failed(hyperspace(*SOLO, *options), 2)


def shown(results: Path, *options: str, iterations: int = 2) -> str:
    """What the same command prints of a finished run, on one line."""
    numbers = ("--iterations", str(iterations), "--results", results)
    return " ".join(hyperspace(*SOLO, *numbers, *options).stdout.split())


def test_a_plain_run_is_ranked_by_validation_and_test_was_evaluated_once(tmp_path: Path) -> None:
    played(tmp_path, iterations=1)
    caption = "best by validation score; test was evaluated once, at the end"
    assert shown(tmp_path, iterations=1).startswith(caption)


def test_fitness_of_both_is_the_mean_of_the_agents_and_its_ensembles(tmp_path: Path) -> None:
    options = ("--optimise", "both", "--ensemble-size", "2", "--eval-test")
    run = played(tmp_path, *options)
    ranked = "best by the mean of its own and its ensemble's validation score"
    assert shown(tmp_path, *options).startswith(f"{ranked}; test was looked at before the end")
    for generation in (1, 2):
        found = metadata(run, generation)
        members = found["ensemble"]["members"]
        assert members[0] == generation
        assert members[1] == best_on_train(run, generation)
        answers = [predictions(run, member) for member in members]
        score = DOMAIN.score("val", combined(DOMAIN, answers))
        assert found["ensemble"]["val_score"] == score
        assert found["fitness"] == pytest.approx((found["val_score"] + score) / 2)
        assert (run / "climber" / f"gen_{generation}" / "eval_test" / "report.json").is_file()
    assert json.loads((run / "summary.json").read_text())["test_exposed"]


def best_on_train(run: Path, before: int) -> int:
    return max(range(before), key=lambda n: (metadata(run, n)["train_score"], -n))


def predictions(run: Path, generation: int) -> Mapping[str, str]:
    with (run / f"climber/gen_{generation}/eval_val/predictions.csv").open() as file:
        return {row["id"]: row["prediction"] for row in csv.DictReader(file)}
