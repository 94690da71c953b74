"""`hyperspace show` and `hyperspace runs`: what a run holds, without opening its files."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import failed, hyperspace, pair

pytestmark = pytest.mark.long
CRASHER = "offline/crasher?at=2&how=syntax&recover=never"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("show")


@pytest.fixture(scope="module")
def run(results: Path) -> Path:
    options = ("--models", CRASHER, "offline/prober")
    return Path(pair(results, *options, generations=3)["run"])


def shown(address: str, *options: str) -> str:
    done = hyperspace("show", address, *options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def as_json(address: str, *options: str) -> Any:
    return json.loads(shown(address, *options, "--json"))


def test_every_generation_is_a_row(run: Path) -> None:
    rows = as_json(str(run))["generations"]
    assert [(row["agent"], row["generation"]) for row in rows] == [
        (agent, number) for agent in ("crasher", "prober") for number in range(4)
    ]
    assert [row["valid"] for row in rows[:4]] == [True, True, False, False]
    assert "crasher" in shown(str(run))
    assert len(as_json(f"{run}#prober")["generations"]) == 4


@pytest.mark.parametrize("number", ["2", "gen_2"])
def test_a_generation_is_named_in_two_ways(run: Path, number: str) -> None:
    text = shown(f"{run}#prober/{number}")
    assert text.startswith("prober generation 2, from generation ")
    assert "in sight: crasher gen " in text
    assert "refused: " in text


def test_code_is_what_the_folder_holds(run: Path) -> None:
    code = (run / "prober" / "gen_1" / "repo" / "task_agent.py").read_text()
    assert shown(f"{run}#prober/1", "--code", "task_agent.py") == code
    whole = shown(f"{run}#prober/1", "--code")
    assert "==> task_agent.py <==" in whole
    assert "==> meta_agent.py <==" in whole
    assert "there are: task_agent.py" in failed(
        hyperspace("show", f"{run}#prober/1", "--code", "x.py"), 2
    )


def test_a_diff_is_from_the_parent(run: Path) -> None:
    assert shown(f"{run}#prober/1", "--diff").startswith("--- a/task_agent.py\n+++ b/task_agent")
    assert shown(f"{run}#prober/0", "--diff").startswith("--- /dev/null\n")


def test_a_prompt_is_what_the_model_was_asked(run: Path) -> None:
    assert "task_agent.py" in shown(f"{run}#prober", "--prompt")
    message = failed(hyperspace("show", f"{run}#prober/0", "--prompt"), 2)
    assert "generation 0" in message or "trace" in message


def test_the_last_failure_is_shown_without_being_named(run: Path) -> None:
    failure = as_json(f"{run}#crasher", "--error")
    assert failure["generation"] == 3
    assert "SyntaxError" in failure["text"]
    assert shown(f"{run}#prober", "--error") == "no generation failed\n"


@pytest.mark.parametrize(
    ("end", "why"),
    [
        ("#nobody", "there are: crasher, prober"),
        ("#prober/9", "the last is 3"),
        ("/gen_1", "#crasher or #prober"),
        ("/best", "holds no run"),
        ("x", "there is no folder"),
    ],
)
def test_what_is_not_there_is_named(run: Path, end: str, why: str) -> None:
    assert why in failed(hyperspace("show", f"{run}{end}"), 2)


def test_one_of_several_agents_has_to_be_named(run: Path) -> None:
    assert "#crasher or #prober" in failed(hyperspace("show", run, "--diff"), 2)


def test_runs_are_listed(run: Path, results: Path) -> None:
    done = hyperspace("runs", results, "--json")
    (row,) = json.loads(done.stdout)["runs"]
    assert results / row["run"] == run
    assert row["state"] == "finished"
    assert (row["closed"], row["planned"]) == (6, 6)
    assert "finished" in hyperspace("runs", results).stdout


def test_a_folder_without_runs_is_told(tmp_path: Path) -> None:
    assert "there is no run below" in failed(hyperspace("runs", tmp_path), 2)
    assert "is no folder" in failed(hyperspace("runs", tmp_path / "x"), 2)


def test_what_cannot_be_read_of_a_generation_is_told(run: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(run, tmp_path / "run"))
    code, record = (copy / "prober" / name for name in ("gen_1/repo", "gen_2/metadata.json"))
    shutil.rmtree(code)
    code.symlink_to("repo")
    record.unlink()
    record.symlink_to("metadata.json")
    told = hyperspace("show", copy).stderr
    assert "prober gen 1: its task_agent.py is not there, or cannot be read" in told
    assert "prober/gen_2/metadata.json is no plain file" in told


def test_a_damaged_space_is_named_by_its_path_in_the_run(run: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(run, tmp_path / "run"))
    os.truncate(copy / "space.db", 3000)
    assert "\n.: space.db is damaged" in hyperspace("runs", copy).stdout
    assert "\n.: space.db is damaged" in hyperspace("runs", "run", cwd=tmp_path).stdout
