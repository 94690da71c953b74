"""A solo run as a whole: extended, killed, in sets, with controls, from the published command."""

import json
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hyperspace.kernel.state.digest import digest
from tests.support.command import failed, finished, hyperspace, kill_at
from tests.support.paths import ROOT
from tests.support.runs.solos import MODEL, Solo, planned, solo

pytestmark = pytest.mark.long

PLACE = ("--freeze-meta", "--no-controls", "--model", MODEL, "--results")


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> Solo:
    """Two generations at once, both tournaments."""
    return solo(tmp_path_factory.mktemp("straight"), *ANNEALING, iterations=2)


ANNEALING = ("--arm", "d", "--annealing-p0", "1", "--annealing-decay", "1")


def test_a_summary_has_the_published_fields(straight: Solo) -> None:
    summary = straight.summary
    assert summary["seed"] == 42
    assert summary["max_generations"] == 2
    assert summary["archive_size"] == 3
    gain = summary["best_val_score"] - summary["initial_val_score"]
    assert summary["imp_at_k"] == pytest.approx(gain)
    assert summary["test_exposed"] is False
    assert summary["test_mae"] is None
    assert straight.path.parts[-3:] == ("repo_quality", "arm_d_annealing", "seed42")


def test_an_extended_run_is_the_longer_one_but_says_that_its_test_was_seen(
    straight: Solo, tmp_path: Path
) -> None:
    first = solo(tmp_path, *ANNEALING, iterations=1)
    longer = solo(tmp_path, *ANNEALING, iterations=2)
    assert first.path == longer.path
    assert longer.result["digest"] == straight.result["digest"]
    assert longer.summary["test_exposed"] is True
    assert hyperspace("audit", longer.path).returncode == 0
    (present,) = watched(longer.path, "--once")
    assert (present["state"], present["rows"][0]["budget"]) == ("finished", 2)


def test_an_extended_run_that_is_not_finished_tells_no_test_of_its_earlier_end(
    tmp_path: Path,
) -> None:
    first = solo(tmp_path, iterations=1)
    assert first.summary["test_accuracy"] is not None
    earlier = (first.path / "summary.json").read_bytes()
    calls = first.summary["spending"]["total"]["calls"]
    paused = hyperspace(
        *("solo", *PLACE[1:], tmp_path, "--domain", "repo_quality", "--iterations", "9"),
        *("--max-calls", str(2 * calls)),
    )
    assert paused.returncode == 1, paused.stderr
    assert not (first.path / "summary.json").exists()
    assert told_of(first.path) == (False, None, True)
    (present,) = watched(first.path, "--once")
    assert (present["state"], present["rows"][0]["test_score"]) == ("idle", None)
    assert "test -" in hyperspace("watch", first.path, "--once").stdout

    (first.path / "summary.json").write_bytes(earlier)  # as earlier versions left it
    assert told_of(first.path) == (False, None, True)


def told_of(run: Path) -> tuple[bool | None, float | None, bool | None]:
    """What a report says of a run: whether it is finished, its test, and whether that was seen."""
    (experiment,) = json.loads(hyperspace("report", run, "--json").stdout)["experiments"]
    (result,) = experiment["arms"][0]["results"]
    return result["finished"], result["test"], result["test_exposed"]


def test_a_watch_tells_each_generation_and_the_final_test(straight: Solo) -> None:
    *events, present = watched(straight.path, "--after", "0")
    closed = [event["generation"] for event in events if event["event"] == "generation"]
    assert closed == [0, 1, 2, "test"]
    assert present["rows"][0]["best_val"] == straight.summary["best_val_score"]


def watched(run: Path, *options: str) -> list[Any]:
    done = hyperspace("watch", run, "--json", *options)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_informed_seed_tells_the_model_what_the_published_one_keeps_to_itself(
    straight: Solo, tmp_path: Path
) -> None:
    informed = solo(tmp_path, "--seed-agent", "informed", iterations=1)
    assert informed.result["arm"] == "arm_a_full_informed"
    told, kept = (str(run.calls(1)[0]["messages"]) for run in (informed, straight))
    assert "iterations are left" in told
    assert "/evals" in told
    assert "iterations" not in kept
    assert "/evals" not in kept


SMALL = """
from hyperspace.tasks.table import Row, TableDomain

def small(data, options):
    counts = {"train": 3, "val": 2, "test": 4}
    rows = {s: [Row(f"{s}-{n}", {"q": n}, "yes") for n in range(k)] for s, k in counts.items()}
    return TableDomain("small", rows, smoke_inputs={"q": 9})
"""


def test_test_is_asked_once_for_each_of_its_items_however_often_a_run_is_started(
    tmp_path: Path,
) -> None:
    (tmp_path / "small.py").write_text(SMALL)
    options = ("--domain", f"{tmp_path / 'small.py'}:small", "--skip-staged", "--iterations", "1")
    place = ("--no-controls", "--results", tmp_path / "r", "--json")
    first, again = (hyperspace("solo", "--model", MODEL, *options, *place) for _ in range(2))
    for done in (first, again):
        finished(done)
    ledger = (Path(json.loads(again.stdout)["run"]) / "ledger.jsonl").read_text().splitlines()
    lines: list[Any] = [json.loads(line) for line in ledger]
    asked = Counter(line["purpose"] for line in lines if line["kind"] == "reserved")
    # One call an item of the standard seed; a generation has train and validation, test the run.
    assert (asked["train"], asked["val"], asked["test"]) == (6, 4, 4)


def test_killed_within_a_tournament_it_ends_as_if_undisturbed(
    straight: Solo, tmp_path: Path
) -> None:
    results = tmp_path / "results"
    options = ("solo", "--model", MODEL, "--domain", "repo_quality", "--iterations", "2")
    for position in ("climber:1:item:train:7", "climber:2:commit"):
        asked = (*options, *ANNEALING, "--no-controls", "--results", results)
        done = kill_at(tmp_path / "log", position, *asked)
        assert done.returncode == -signal.SIGKILL, done.stderr
    run = results / "repo_quality" / "repo_quality" / "arm_d_annealing" / "seed42"
    done = hyperspace("resume", run)
    assert done.returncode == 0, done.stderr
    assert digest(run) == straight.result["digest"]


def test_a_pause_costs_no_generation_its_place(straight: Solo, tmp_path: Path) -> None:
    options = ("--model", MODEL, "--domain", "repo_quality", "--iterations", "2", *ANNEALING)
    place = ("--no-controls", "--results", tmp_path)
    paused = hyperspace("solo", *options, *place, "--max-tokens", "20000")
    assert "is reached" in failed(paused, 1)
    done = hyperspace("solo", *options, *place, "--max-tokens", "none", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["digest"] == straight.result["digest"]


def test_a_set_plays_every_seed_and_lists_what_failed(tmp_path: Path) -> None:
    other = tmp_path / "repo_quality" / "repo_quality" / "arm_a_full" / "seed2"
    other.mkdir(parents=True)
    (other / "mine.txt").write_text("not a run")
    options = ("solo", "--model", MODEL, "--domain", "repo_quality", "--iterations", "1")
    place = ("--no-controls", "--results", tmp_path, "--json")
    done = hyperspace(*options, "--seeds", "1,2", *place)
    assert done.returncode == 1
    told: Any = json.loads(done.stdout)
    assert [run["seed"] for run in told["runs"]] == [1]
    assert [run["run"] for run in told["failed"]] == ["arm_a_full seed2"]
    assert "holds no run" in told["failed"][0]["reason"]
    assert "1 of 2 runs cannot be played as they are; put right what" in done.stderr
    assert "arm_a_full seed1 gen 1/1" in done.stderr
    (other / "mine.txt").unlink()
    again = hyperspace(*options, "--seeds", "1,2", *place)
    assert again.returncode == 0, again.stderr
    assert json.loads(again.stdout)["runs"][0] == told["runs"][0]


def test_a_damaged_record_stops_that_run_of_a_set_and_no_other(tmp_path: Path) -> None:
    words = ("--model", MODEL, "--domain", "repo_quality", "--arm", "d", "--seeds", "1")
    command = ("solo", *words, "--results", tmp_path, "--json")
    done = hyperspace(*command, "--iterations", "1")
    assert done.returncode == 0, done.stderr
    for name in ("best_of_n_annealing", "arm_d_annealing"):
        record = tmp_path / "repo_quality" / "repo_quality" / name / "seed1" / "run_config.json"
        whole = record.read_bytes()
        record.write_text("{")
        for more in (("--iterations", "1"), ()):
            again = hyperspace(*command, *more)
            assert again.returncode == 1, again.stderr
            told: Any = json.loads(again.stdout)
            labels = [run["run"] for run in told["failed"]]
            # Without a number, how long the control is to be is known from its arm alone.
            beside = ["best_of_n_annealing seed1"] if "arm" in name and not more else []
            assert labels == [f"{name} seed1", *beside]
            assert all(f"{record} is damaged" in run["reason"] for run in told["failed"])
            assert len(told["runs"]) == 3 - len(labels)
        record.write_bytes(whole)


def test_the_published_command_plays_the_published_arm(tmp_path: Path) -> None:
    published = ("--experiment", "repo_quality", "--iterations", "1", "--seed", "3")
    done = subprocess.run(
        [sys.executable, "-m", "replication.run", *published, *PLACE, str(tmp_path)],
        cwd=ROOT,
        check=False,
        timeout=300,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    run = tmp_path / "repo_quality" / "repo_quality" / "arm_b_freeze" / "seed3"
    assert json.loads((run / "summary.json").read_text())["arm"] == "arm_b_freeze"


def test_a_best_of_n_has_as_many_candidates_as_its_arm_and_goes_on_with_that_alone(
    tmp_path: Path,
) -> None:
    place = ("--domain", "repo_quality", "--model", MODEL, "--results", tmp_path, "--json")

    def asked(arm: str, iterations: str, *more: str) -> subprocess.CompletedProcess[str]:
        return hyperspace("solo", "--arm", arm, "--iterations", iterations, *place, *more)

    def control(name: str) -> Any:
        folder = tmp_path / "repo_quality" / "repo_quality" / name / "seed42"
        return json.loads((folder / "summary.json").read_text())

    assert asked("a", "1").returncode == 0
    told = failed(asked("c", "2"), 2)
    assert "best_of_n/seed42 holds the best of N=1 candidates for another arm" in told
    assert "--experiment" in told
    assert not (tmp_path / "repo_quality" / "repo_quality" / "arm_c_random").exists()
    assert failed(asked("c", "2", "--control", "best_of_n"), 2).count("another arm") == 1
    assert control("best_of_n")["test_exposed"] is False
    assert asked("a", "2").returncode == 0  # the arm goes on, and its control with it
    assert control("best_of_n")["max_generations"] == 2
    tournaments = ("--annealing-p0", "1", "--annealing-decay", "1")
    assert asked("d", "2", *tournaments).returncode == 0
    assert control("best_of_n_annealing")["max_generations"] == 4


def labels(*options: str) -> list[str]:
    return [one.label for one in planned(*options)]


def test_controls_come_by_themselves_where_they_cost_nothing() -> None:
    assert labels("--arm", "b", "--seeds", "4..5") == [
        *("arm_b_freeze seed4", "arm_b_freeze seed5"),
        *("best_of_n seed4", "best_of_n seed5"),
        *("arm_b_freeze_aa seed4", "arm_b_freeze_aa seed5"),
    ]
    assert labels("--no-controls") == ["arm_a_full seed42"]
    assert labels("--arm", "aa") == ["arm_a_full_aa seed42"]


def test_with_a_model_that_may_cost_controls_are_asked_for() -> None:
    paid = ("--model", "m@http://127.0.0.1:9/v1", "--arm", "c")
    assert labels(*paid) == ["arm_c_random seed42"]
    assert len(labels(*paid, "--controls")) == 3


@pytest.mark.parametrize("json_", [(), ("--json",)])
def test_controls_that_may_cost_begin_with_what_all_will_take_together(
    json_: tuple[str, ...], tmp_path: Path
) -> None:
    paid = ("--model", "m@http://127.0.0.1:9/v1", "--domain", "repo_quality", "--iterations", "1")
    place = ("--results", tmp_path, "--outage-minutes", "0", *json_)
    done = hyperspace("solo", *paid, "--controls", *place)
    assert done.returncode == 1  # nothing answers there
    told, other = (done.stderr, done.stdout) if json_ else (done.stdout, done.stderr)
    assert "best_of_n seed42" in told
    assert "all, expected" in told
    assert "all, expected" not in other
    assert not json_ or len(json.loads(done.stdout)["failed"]) == 3


def test_without_a_task_the_command_says_how_to_name_one() -> None:
    assert "--domain" in failed(hyperspace("solo", "--arm", "a"), 2)
