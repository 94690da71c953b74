"""`hyperspace levels`: whole sets of small budgets, killed and gone on with, and compared."""

import csv
import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec import UNSET

from hyperspace.extensions.arena.finished import standing_cases
from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.digest import digest
from hyperspace.runs.finding import find_runs
from tests.hyperspace.tasks.three_files.conftest import BENCHMARK, CONFIG, SOLUTION
from tests.support.command import HYPERSPACE, failed, hyperspace
from tests.support.paths import ROOT

MODEL: Final = ("--models", "offline/heeding?trials=4")
ASKED: Final = ("levels", "--tasks", "repo_quality", *MODEL, "--seeds", "1..2")
BUDGET: Final = ("--budget", "10calls")
EXPERIMENT: Final = "repo_quality/levels_heeding_10calls"
TASK: Final = ("--tasks", "repo_quality", *MODEL, *BUDGET)
LEVELS: Final = {"best of N", "loop", "feedback", "shuffled advice", "hyperagent"}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    results = tmp_path_factory.mktemp("levels") / "r"
    done = hyperspace(*ASKED, *BUDGET, "--results", results, timeout_s=500)
    assert done.returncode == 0, done.stderr
    assert "Levels at a budget of 10 calls" in done.stdout
    return results


def rows(results: Path) -> list[dict[str, str]]:
    with (results / "levels_10calls.csv").open() as file:
        return list(csv.DictReader(file))


def digests(results: Path, level: str = "") -> dict[str, str]:
    """Of all runs, or of those below the folders of a level and of its control."""
    runs = {str(run.relative_to(results)): run for run in find_runs(results)}
    return {name: digest(run) for name, run in runs.items() if level in name}


@pytest.mark.long
def test_every_level_and_control_is_played_at_the_same_budget_and_compared(played: Path) -> None:
    table = rows(played)
    assert {(row["level"], row["seed"]) for row in table} == {
        (level, seed) for level in LEVELS for seed in "12"
    }
    assert {row["calls"] for row in table} == {"10"}
    assert all(float(row["test"]) >= 0 for row in table)
    said = json.loads((played / "levels_10calls.json").read_text())
    assert len(said["contrasts"]) == 5
    assert {run["adversarial"] for run in said["runs"]} == {None}
    assert (played / "levels_10calls.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.long
def test_each_seed_is_told_the_advice_of_the_next_one(played: Path) -> None:
    for seed, other in ((1, 2), (2, 1)):
        run = played / EXPERIMENT / "feedback_shuffled_advice" / f"seed{seed}"
        solo = read_record_of(run).configuration.solo
        assert solo is not None
        assert solo.told is not UNSET
        assert solo.told.digest == digest(played / EXPERIMENT / "feedback" / f"seed{other}")


@pytest.mark.long
def test_the_report_takes_levels_for_arms_and_knows_their_controls(played: Path) -> None:
    done = hyperspace("report", played, "--json")
    (experiment,) = json.loads(done.stdout)["experiments"]
    assert {arm["arm"]: arm["control"] for arm in experiment["arms"]} == {
        "loop": "",
        "feedback": "",
        "arm_a_full": "",
        "loop_best_of_n": "best_of_n",
        "feedback_shuffled_advice": "shuffled_advice",
    }
    assert not [note for note in experiment["notes"] if "what is there counts" in note]
    assert not [c["name"] for c in experiment["differing"] if c["name"].startswith("solo.told")]


def killed_when(path: Path, asked: list[str]) -> None:
    """Play until something is there, and kill the set."""
    process = subprocess.Popen(
        asked,
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    while not path.exists():
        assert process.poll() is None, "it ended before it was killed"
        time.sleep(0.02)
    process.kill()
    process.wait()


@pytest.mark.long
def test_a_set_that_is_killed_and_asked_for_in_parts_ends_as_it_would_have(
    played: Path, tmp_path: Path
) -> None:
    results = tmp_path / "r"
    place, every = results / EXPERIMENT, [*ASKED, *BUDGET, "--results", str(results)]
    some = [*every, "--levels", "feedback,shuffled_advice"]
    killed_when(place / "loop" / "seed1" / "heeding" / "gen_1", [*HYPERSPACE, *every])
    killed_when(place / "feedback" / "seed2" / "heeding" / "gen_2", [*HYPERSPACE, *some])
    advised = place / "feedback_shuffled_advice"
    killed_when(advised / "seed1" / "heeding" / "gen_1", [*HYPERSPACE, *some])
    done = hyperspace(*some, timeout_s=500)
    assert done.returncode == 0, done.stderr
    assert {row["level"] for row in rows(results)} == {"feedback", "shuffled advice"}
    said = json.loads((results / "levels_10calls.json").read_text())
    contrasts = [(row["first"], row["second"]) for row in said["contrasts"]]
    assert contrasts == [("feedback", "shuffled advice")]
    first = digests(results, "feedback")
    assert len(first) == 4
    assert first.items() <= digests(played).items()
    ledgers = {run: (results / run / "ledger.jsonl").stat().st_mtime_ns for run in first}
    done = hyperspace(*every, timeout_s=500)
    assert done.returncode == 0, done.stderr
    assert digests(results) == digests(played)
    assert {run: (results / run / "ledger.jsonl").stat().st_mtime_ns for run in first} == ledgers
    ours, theirs = (
        [(r["level"], r["seed"], r["test"]) for r in rows(p)] for p in (results, played)
    )
    assert ours == theirs


ARENAS: Final = ("levels", "--tasks", "email_validation", "--models", "offline/heeding?trials=2")


@pytest.mark.long
def test_arenas_join_levels_and_their_cases_are_put_before_the_other_seeds(tmp_path: Path) -> None:
    """Killed in an arena, the same command goes on; the arenas are those of `hyperspace arena`."""
    results, budget = tmp_path / "r", ("--budget", "9calls")
    some = ("--levels", "loop,arena,random cases")  # each other level is judged as loop is
    asked = [*ARENAS, "--seeds", "1..2", *budget, "--results", str(results)]
    place = results / "email_validation"
    arena = place / "levels_heeding_9calls_arena" / "seed1"
    killed_when(arena / "solver1" / "gen_1", [*HYPERSPACE, *asked, *some])
    done = hyperspace(*asked, *some, "--json", timeout_s=500)
    assert done.returncode == 0, done.stderr
    said: Any = json.loads(done.stdout)
    assert {(run["level"], run["seed"]) for run in said["runs"]} == {
        (level, seed) for level in ("loop", "arena", "random cases") for seed in (1, 2)
    }
    assert {run["calls"] for run in said["runs"]} == {9}
    own = {seed: len(standing_cases(arena.with_name(f"seed{seed}"))) for seed in (1, 2)}
    for run in said["runs"]:
        assert 0 < run["cases"] <= own[3 - run["seed"]]
        assert run["drop"] == pytest.approx(run["test"] - run["adversarial"])
    by_drop = [(c["first"], c["second"]) for c in said["contrasts"] if c["measure"] == "drop"]
    assert by_drop == [("arena", "loop"), ("arena", "random cases")]
    alone = ("arena", "--task", "email_validation", "--models", "offline/heeding?trials=2")
    size = ("--solvers", "1", "--testers", "1", *budget, "--seed", "1")
    done = hyperspace(*alone, *size, "--results", tmp_path / "alone", "--json")
    assert json.loads(done.stdout)["digest"] == digest(arena)
    # Nothing is left to play of arenas alone; they are compared without any level beside them.
    done = hyperspace(*asked, "--levels", "arena,random cases", "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert {run["level"] for run in said["runs"]} == {"arena", "random cases"}
    contrasts = [(c["first"], c["second"], c["measure"]) for c in said["contrasts"]]
    assert contrasts == [("arena", "random cases", "drop")]


@pytest.mark.long
def test_levels_and_arenas_are_evaluated_on_as_many_items_as_asked_for(tmp_path: Path) -> None:
    asked = (*ARENAS, "--budget", "9calls", "--levels", "loop,arena", "--eval-samples", "10")
    done = hyperspace(*asked, "--results", tmp_path, "--json", timeout_s=300)
    assert done.returncode == 0, done.stderr
    runs = [read_record_of(run).configuration for run in find_runs(tmp_path)]
    assert [run.eval_samples for run in runs] == [10, 10]
    assert sum(run.arena is not None for run in runs) == 1


@pytest.mark.long
def test_arenas_are_forecast_within_their_budget(tmp_path: Path) -> None:
    asked = (*ARENAS, "--seeds", "1..2", "--budget", "60calls", "--results", tmp_path / "r")
    told: Any = json.loads(hyperspace(*asked, "--dry-run", "--json").stdout)
    assert {"2 x email_validation arena", "2 x email_validation random cases"} <= {
        part["agent"].rsplit(" ", 1)[0] for part in told["parts"]
    }
    assert all(0 < told[level]["calls"] <= 2 * 7 * 60 for level in ("low", "expected", "high"))


@pytest.mark.long
def test_a_task_in_three_files_is_played_at_every_level(tmp_path: Path) -> None:
    folder = tmp_path / "reach"
    folder.mkdir()
    for name, text in {
        "config.toml": CONFIG,
        "initial_solution.py": SOLUTION,
        "benchmark.py": BENCHMARK,
        "limits.py": "LARGEST = 1_000_000\n",
    }.items():
        (folder / name).write_text(text)
    asked = ("levels", "--tasks", str(folder), *MODEL, *BUDGET)
    done = hyperspace(*asked, "--results", tmp_path / "r", "--json", timeout_s=500)
    assert done.returncode == 0, done.stderr
    said: Any = json.loads(done.stdout)
    # One seed: the shuffled advice of another does not depend on the task.
    assert {row["level"] for row in said["summaries"]} == LEVELS - {"shuffled advice"}
    assert {run["task"] for run in said["runs"]} == {str(folder)}
    assert {run["calls"] for run in said["runs"]} == {10}
    assert max(run["test"] for run in said["runs"]) > 50 / 200  # 50 is the solution's own


@pytest.mark.long
def test_one_seed_has_no_shuffled_advice_and_the_forecast_plays_nothing(tmp_path: Path) -> None:
    budget = ("--budget", "60calls", "--results", tmp_path / "r")
    asked = ("levels", "--tasks", "repo_quality", *MODEL, *budget)
    done = hyperspace(*asked, "--dry-run", "--json")
    assert done.returncode == 0, done.stderr
    told: Any = json.loads(done.stdout)
    assert not any("shuffled" in part["agent"] for part in told["parts"])
    assert all(0 < told[level]["calls"] <= 4 * 60 for level in ("low", "expected", "high"))
    both: Any = json.loads(hyperspace(*asked, "--seeds", "1..2", "--dry-run", "--json").stdout)
    assert any("shuffled" in part["agent"] for part in both["parts"])
    some: Any = json.loads(
        hyperspace(
            *asked, *("--seeds", "1..2", "--levels", "loop,best of N", "--dry-run", "--json")
        ).stdout
    )
    assert {part["agent"].rsplit(" ", 1)[0] for part in some["parts"]} == {
        "2 x repo_quality best of N",
        "2 x repo_quality loop",
    }
    assert not (tmp_path / "r").exists()


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--tasks", "repo_quality", *MODEL), "name it, as --budget 300calls"),
        (("--tasks", "repo_quality", *MODEL, "--budget", "1calls"), "smallest that works is 2"),
        (("--tasks", "repo_quality", *MODEL, "--budget", "9usd"), "a budget is kept in calls"),
        (("--tasks", "repo_quality", "repo_quality", *MODEL, *BUDGET), "'repo_quality' twice"),
        (("--tasks", "panel?kinds=6", "panel?kinds=8", *MODEL, *BUDGET), "would both lie in"),
        (("--tasks", "nothing", *MODEL, *BUDGET), "no domain is called 'nothing'"),
        (("--tasks", "repo_quality", "--models", "offline/nobody", *BUDGET), "offline policy"),
        (("--tasks", "repo_quality", *BUDGET), "--models"),
        ((*TASK, "--levels", "loop,nothing"), "no level 'nothing'; there are best of N, loop, "),
        ((*TASK, "--levels", "loop,loop"), "loop,loop names a level twice"),
        ((*TASK, "--levels", "loop,shuffled advice"), "name feedback, too"),
        ((*TASK, "--levels", "arena"), "repo_quality has no oracle that an arena needs"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(
    options: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    done = hyperspace("levels", *options, "--results", tmp_path / "r")
    assert said in failed(done, 2)
    assert not (tmp_path / "r").exists()
