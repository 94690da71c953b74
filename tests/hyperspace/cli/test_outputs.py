"""Files that commands write where a person says take the place of nothing that is evidence."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.command import HYPERSPACE, failed, hyperspace, pair
from tests.support.paths import ROOT

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(pair(tmp_path_factory.mktemp("results"), generations=1)["run"])


@pytest.mark.parametrize(
    "line",
    [
        ("report", "RUN", "--html", "RUN/run_config.json"),
        ("report", "RUN", "--csv", "RUN/space.db"),
        ("report", "RUN", "--png", "RUN/magpie"),
        ("analyze", "RUN", "--html", "RUN/space.db"),
        ("analyze", "RUN", "--csv", "RUN/magpie"),
        ("eval_progress", "RUN", "--html", "RUN/best/score.json"),
        ("space", "export", "RUN", "--output", "RUN/run_config.json"),
    ],
)
def test_a_run_is_only_read(run: Path, line: tuple[str, ...]) -> None:
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    words = [word.replace("RUN", str(run)) for word in line]
    assert "is in the run" in failed(hyperspace(*words), 2)
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("line", [("report", "--csv"), ("report", "--html"), ("analyze", "--html")])
def test_no_pipe_or_device_is_replaced(run: Path, tmp_path: Path, line: tuple[str, str]) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "is no regular file" in failed(hyperspace(line[0], run, line[1], pipe), 2)
    assert pipe.is_fifo()


def test_a_table_is_not_replaced_by_its_own_report(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("arm,seed,generation,val_score\na,1,0,0.5\na,1,1,0.6\n")
    before = table.read_bytes()
    for option in ("--csv", "--html"):
        assert "is what is read" in failed(hyperspace("report", table, option, table), 2)
    both = ("--html", tmp_path / "o", "--csv", tmp_path / "o")
    assert "is named twice" in failed(hyperspace("report", table, *both), 2)
    assert table.read_bytes() == before


@pytest.mark.parametrize("words", [("--help",), ("pair", "--help-all"), ("domains",)])
def test_what_cannot_be_printed_is_a_failure(words: tuple[str, ...], tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*HYPERSPACE, *words], stdout=full, stderr=subprocess.PIPE, text=True, cwd=ROOT,
            check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("hyperspace: ")
    assert done.stderr.count("\n") == 1


def test_a_lost_generation_is_told_and_not_shown_as_empty(run: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(run, copy)
    shutil.rmtree(copy / "magpie" / "gen_1")
    for option in ("--code", "--diff"):
        message = failed(hyperspace("show", f"{copy}#magpie/1", option), 2)
        assert "the code of generation 1 is not there" in message
    assert hyperspace("show", f"{copy}#tinker", "--code").returncode == 0
    assert "has no file ''" in failed(hyperspace("show", f"{copy}#tinker", "--code", ""), 2)


def test_a_typo_above_a_run_is_told_by_trash(run: Path) -> None:
    results = run.parents[2]
    done = hyperspace("trash", results / "nope" / "seed1", "--results", results)
    assert "does not exist" in failed(done, 2)


@pytest.mark.parametrize(
    ("option", "name", "better"),
    [
        ("--png", "x.txt", "x.png"),
        ("--png", "x.svg", "x.png"),
        ("--html", "x.csv", "x.html"),
        ("--csv", "x.html", "x.csv"),
    ],
)
def test_a_name_that_ends_as_another_kind_of_file_is_refused(
    tmp_path: Path, option: str, name: str, better: str
) -> None:
    table = tmp_path / "scores.csv"
    table.write_text("arm,seed,generation,val_score\na,1,0,0.5\n")
    said = failed(hyperspace("report", table, option, tmp_path / name), 2)
    assert said.endswith(str(tmp_path / better))
    assert not (tmp_path / name).exists()
