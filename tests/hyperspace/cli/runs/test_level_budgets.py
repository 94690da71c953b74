"""`--budget Ncalls`: each level ends on exactly so many calls, killed or not; and its controls."""

import json
import signal
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec import UNSET

from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.digest import digest
from tests.support.command import failed, finished, hyperspace, kill_at
from tests.support.runs.solos import Solo

TASK: Final = ("--domain", "repo_quality", "--model", "offline/heeding?trials=4", "--no-controls")
CALLS: Final = 10
BUDGET: Final = ("--budget", f"{CALLS}calls")
TERMS: Final = {
    "loop": ("--level", "loop"),
    "feedback": ("--level", "feedback", "--reviewer", "offline/reviewer"),
    "hyperagent": ("--level", "hyperagent"),
    "best_of_n": ("--level", "loop", "--control", "best_of_n"),
}
ASKING: Final = """
from hyperspace.tasks.base import SPLITS
from hyperspace.tasks.table import Row, TableDomain


def asking(_data, _options):
    rows = {s: [Row(f"{s}_{n}", {"text": f"{s} {n}"}, "yes") for n in range(4)] for s in SPLITS}
    return TableDomain("asking", rows, smoke_inputs={"text": "hello"})
"""


def played(results: Path, *options: str | Path) -> Solo:
    done = hyperspace("solo", *options, "--results", results, "--json")
    finished(done)
    result = json.loads(done.stdout)
    return Solo(Path(result["run"]), result)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Solo]:
    results = tmp_path_factory.mktemp("levels")
    return {name: played(results, *terms, *BUDGET, *TASK) for name, terms in TERMS.items()}


@pytest.fixture(scope="module")
def shuffled(runs: dict[str, Solo]) -> Solo:
    donor, results = runs["feedback"].path, runs["feedback"].path.parents[3]
    own = ("--seed", "43", "--advice-of", str(donor))
    return played(results, *TERMS["feedback"], *own, *BUDGET, *TASK)


def settled(run: Solo) -> list[Any]:
    lines = [json.loads(line) for line in (run.path / "ledger.jsonl").read_text().splitlines()]
    return [line for line in lines if line["kind"] == "settled"]


def all_calls(run: Solo) -> list[list[Any]]:
    return [run.calls(number) for number in range(run.result["archive_size"])]


def instruction(run: Solo, generation: int) -> str:
    return next(c for c in run.calls(generation) if c["purpose"] == "modify")["messages"][0][
        "content"
    ]


@pytest.mark.long
def test_every_level_spends_its_budget_to_the_call_and_is_tested(runs: dict[str, Solo]) -> None:
    for name, run in runs.items():
        assert len(settled(run)) == CALLS, name  # this task's final test asks no model
        assert run.result["test_accuracy"] is not None
        last = run.metadata(run.result["archive_size"] - 1)
        assert last["valid"] or last["error_class"] == "budget", (name, last["error"])


@pytest.mark.long
def test_the_same_command_and_a_resume_find_it_finished_and_a_replay_agrees(
    runs: dict[str, Solo],
) -> None:
    run = runs["loop"]
    again = played(run.path.parents[3], *TERMS["loop"], *BUDGET, *TASK)
    assert again.result["digest"] == run.result["digest"]
    assert "no work was done" in hyperspace("resume", run.path).stdout
    for each in (run, runs["feedback"]):
        done = hyperspace("replay", each.path, "--json")
        assert json.loads(done.stdout)["same"] is True, done.stderr


@pytest.mark.long
def test_killed_anywhere_it_ends_as_it_would_have(runs: dict[str, Solo], tmp_path: Path) -> None:
    last = runs["feedback"].result["archive_size"] - 1
    asked = ("solo", *TERMS["feedback"], *BUDGET, *TASK, "--results", str(tmp_path / "r"))
    positions = ("heeding:1:publish", f"heeding:{last}:modify", f"heeding:{last}:commit")
    for position in positions:
        done = kill_at(tmp_path / "log", position, *asked)
        assert done.returncode == -signal.SIGKILL, done.stderr
    run = played(tmp_path / "r", *asked[1:-2])
    assert run.result["digest"] == runs["feedback"].result["digest"]


@pytest.mark.long
def test_a_try_of_best_of_n_begins_with_the_seed_and_knows_no_other_try(
    runs: dict[str, Solo],
) -> None:
    run = runs["best_of_n"]
    for number in range(1, run.result["archive_size"]):
        assert run.metadata(number)["parent"] == 0
        assert f"```python\n{run.code(0, 'task_agent.py')}" in instruction(run, number)
        assert "last try" not in instruction(run, number)


@pytest.mark.long
def test_shuffled_advice_is_another_runs_and_is_on_record_as_that(
    runs: dict[str, Solo], shuffled: Solo
) -> None:
    donor = runs["feedback"]
    solo = read_record_of(shuffled.path).configuration.solo
    assert solo is not None
    assert solo.arm == "feedback_shuffled_advice"
    assert solo.told is not UNSET
    assert (solo.told.seed, solo.told.digest) == (42, digest(donor.path))
    own = [line for line in settled(shuffled) if line["purpose"] == "review"]
    assert own  # its own reviewer is asked and paid, so that the budget goes as far
    for number in range(2, shuffled.result["archive_size"]):
        fix = donor.metadata(number - 1)["advice"]["fix"]
        assert shuffled.metadata(number - 1)["advice"]["fix"] == fix
        assert json.dumps(fix) in instruction(shuffled, number)
    assert len(settled(shuffled)) == CALLS


@pytest.mark.long
def test_a_control_of_shuffled_advice_is_replayed_from_its_own_folder(
    shuffled: Solo, runs: dict[str, Solo]
) -> None:
    donor = runs["feedback"].path
    away = donor.rename(donor.with_name("seed4200"))
    try:
        done = hyperspace("replay", shuffled.path, "--json")
    finally:
        away.rename(donor)
    assert json.loads(done.stdout)["same"] is True, done.stderr


@pytest.mark.long
def test_a_budget_that_ends_in_an_evaluation_ends_the_try(tmp_path: Path) -> None:
    (tmp_path / "asking.py").write_text(ASKING)  # a smoke item, 4 of train, 4 of val
    asks = ("--domain", f"{tmp_path}/asking.py:asking", "--model", "offline/tinker")
    level = ("--level", "loop", "--no-controls", *asks)
    too_small = failed(hyperspace("solo", *level, "--budget", "14calls"), 2)
    assert "less than one try of loop on asking takes; the smallest that works is 15" in too_small
    first = played(tmp_path, *level, "--budget", "40calls")
    purposes = [[call["purpose"] for call in calls] for calls in all_calls(first)]
    ended = max(n for n, asked in enumerate(purposes) if n and "train" in asked)
    budget = sum(map(len, purposes[:ended])) + purposes[ended].index("train") + 1
    run = played(tmp_path, *level, "--experiment", "again", "--budget", f"{budget}calls")
    assert sum(map(len, all_calls(run))) == budget
    assert len([line for line in settled(run) if line["purpose"] != "test"]) == budget
    assert run.result["archive_size"] == ended + 1
    assert (run.metadata(ended)["valid"], run.metadata(ended)["error_class"]) == (False, "budget")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--level", "loop", "--budget", "5000tokens"), "a budget is kept in calls"),
        (("--level", "loop", "--budget", "5usd"), "guard tokens and money"),
        (("--level", "loop", "--budget", "0calls"), "is not at least 1"),
        (("--level", "loop", "--budget", "many"), "is no budget; name a number of calls"),
        (("--budget", "10calls"), "--budget is for --level loop or feedback or hyperagent"),
        (("--level", "feedback", "--budget", "1calls"), "the smallest that works is 2calls"),
        (("--level", "loop", "--budget", "9calls", "--eval-workers", "2"), "one call after"),
        (("--level", "feedback", "--control", "best_of_n"), "is for --level loop"),
        (("--level", "loop", "--control", "aa"), "a level has the control best_of_n"),
        (("--level", "loop", "--advice-of", "x"), "--advice-of is for --level feedback"),
        (("--level", "feedback", "--advice-of", "nothing"), "no run"),
    ],
)
@pytest.mark.long
def test_bad_input_is_one_sentence_and_leaves_nothing(
    options: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    place = ("--domain", "repo_quality", "--no-controls", "--results", tmp_path / "r")
    done = hyperspace("solo", *options, *place)
    assert said in failed(done, 2)
    assert not (tmp_path / "r").exists()


@pytest.mark.long
def test_advice_of_the_runs_own_seed_or_of_no_reviewer_is_refused(runs: dict[str, Solo]) -> None:
    for donor, said in (
        (runs["feedback"], "is this run's own; name one of another seed"),
        (runs["loop"], "nobody reviews there"),
    ):
        done = hyperspace(
            "solo",
            *TERMS["feedback"],
            *("--advice-of", donor.path, "--experiment", "other"),
            *TASK,
        )
        assert said in failed(done, 2)
