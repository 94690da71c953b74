import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from replication.policy.__main__ import main
from replication.policy.study import COLUMNS
from tests.support.command import without
from tests.support.paths import ROOT

SHORT = ("--iterations", "3", "--seeds", "2")
FILES = {"study.json", "raw_metrics.csv", "agents.jsonl"}
FIGURES = {"learning_curves.png", "meta_policy_drift.png"}


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "study"
    assert main([*SHORT, "--out", str(folder)]) == 0
    return folder


@pytest.mark.long
def test_it_writes_a_row_an_iteration_and_both_figures(made: Path) -> None:
    assert set(contents(made)) == FILES | FIGURES
    rows = list(csv.DictReader((made / "raw_metrics.csv").read_text().splitlines()))
    assert tuple(rows[0]) == COLUMNS
    assert len(rows) == 3 * 2 * (3 + 1)
    first = rows[0]
    assert (first["iteration"], first["mutation_source"]) == ("0", "seed")
    assert (first["child_train_accuracy"], first["best_test_accuracy"]) == ("0.65", "0.8")
    assert {row["seed"] for row in rows} == {"7", "20"}
    assert [row["archive_size"] for row in rows[:4]] == ["1", "2", "3", "4"]
    assert all((made / name).read_bytes().startswith(b"\x89PNG") for name in FIGURES)


@pytest.mark.long
def test_it_writes_the_weights_and_notes_of_every_agent(made: Path) -> None:
    lines = [json.loads(line) for line in (made / "agents.jsonl").read_text().splitlines()]
    assert len(lines) == 3 * 2 * (3 + 1)
    last = lines[3]
    assert last["agent_id"] == "agent-003"
    assert len(last["task_policy"]["weights"]) == 5
    assert last["lineage_notes"]
    assert last["evaluation"]["train_accuracy"] > 0


@pytest.mark.long
def test_a_second_time_the_bytes_are_the_same(made: Path) -> None:
    before = contents(made)
    assert main([*SHORT, "--out", str(made)]) == 0
    assert contents(made) == before


@pytest.mark.long
def test_a_command_that_was_killed_makes_the_same_bytes_again(made: Path, tmp_path: Path) -> None:
    folder = tmp_path / "study"
    command = [sys.executable, "-m", "replication.policy", *SHORT, "--out", str(folder)]
    for name in ("study.json", "agents.jsonl", "learning_curves.png"):
        with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL) as process:
            while not (folder / name).exists() and process.poll() is None:
                time.sleep(0.001)
            os.kill(process.pid, signal.SIGKILL)
        (folder / f".{name}.{process.pid}.tmp").write_bytes(b"half")  # where a kill may come
        for made_later in (FILES | FIGURES) - {"study.json"}:
            (folder / made_later).unlink(missing_ok=True)
    assert subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 0
    assert contents(folder) == contents(made)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--iterations", "0"), "argument --iterations: 0 is not at least 1"),
        (("--seeds", "many"), "argument --seeds: 'many' is not a whole number"),
        (("--seed", "3"), "--seeds"),
    ],
)
def test_a_bad_value_is_one_sentence(
    arguments: tuple[str, str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    said = capsys.readouterr().err
    assert end.value.code == 2
    assert message in said
    assert len(said.splitlines()) == 1


@pytest.mark.long
def test_a_folder_with_another_study_or_anything_else_is_left_alone(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(made)
    assert main(["--iterations", "4", "--seeds", "2", "--out", str(made)]) == 2
    assert "holds a study with other --iterations" in capsys.readouterr().err
    assert contents(made) == before
    (tmp_path / "mine.txt").write_text("mine")
    assert main([*SHORT, "--out", str(tmp_path)]) == 2
    assert "holds something else; name another --out" in capsys.readouterr().err


@pytest.mark.long
def test_without_matplotlib_all_but_the_figures_is_there(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    arguments = (*SHORT, "--out", folder)
    done = without("matplotlib", *arguments, program="replication.policy.__main__")
    assert done.returncode == 1
    assert "figures need matplotlib" in done.stderr
    assert "Traceback" not in done.stderr
    assert set(contents(folder)) == FILES
