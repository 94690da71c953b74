"""`hyperspace domains`: the list, one domain, the check, and a new one that runs."""

import json
import os
import re
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from hyperspace.cli.domain_check import DomainReport, check_named
from hyperspace.cli.domain_view import LONGEST_INPUTS, example_text
from hyperspace.cli.main import main
from hyperspace.tasks.registry import load, names
from hyperspace.tasks.shapes.documented import task_files
from tests.support.command import HYPERSPACE, failed, hyperspace
from tests.support.paths import ROOT
from tests.support.sandboxes import needs_bubblewrap

SLOW_SEED = """
class TaskAgent:
    def __init__(self, model, log_file=""):
        pass

    def forward(self, inputs):
        return str(sum(n % 7 for n in range(400_000)) < 0), []
"""
FILE = """
from hyperspace.tasks.base import SPLITS
from hyperspace.tasks.table import Row, TableDomain

SEED = {seed!r}

class Mine(TableDomain):
    def score(self, split, predictions):
        return {score}

def mine(data, options):
    rows = {{s: [Row(s + str(n), {{"s": s, "n": n}}, "false") for n in range(5)] for s in SPLITS}}
    return Mine("mine", rows, smoke_inputs={{"n": 0}}, staged_items=1, calls_model=False,
                seed_files={{"task_agent.py": SEED.encode()}})
"""


def own(
    folder: Path, seed: str = SLOW_SEED, score: str = "super().score(split, predictions)"
) -> str:
    path = folder / "own.py"
    path.write_text(FILE.format(seed=seed, score=score))
    return f"{path}:mine"


@pytest.mark.long
def test_every_domain_has_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["domains", "--json"]) == 0
    lines = json.loads(capsys.readouterr().out)["domains"]
    rows: Mapping[str, dict[str, object]] = {line["name"]: line for line in lines}
    assert list(rows) == sorted(names())
    assert rows["repo_quality"]["items"] == {"train": 20, "val": 20, "test": 10}
    assert rows["repo_quality"]["shape"] == "labelled"
    assert rows["imo_grading"]["shape"] is None
    assert "--data" in str(rows["imo_grading"]["why_not"])
    assert all(row["about"] for row in rows.values())
    assert main(["domains"]) == 0
    table = capsys.readouterr().out
    assert all(name in table for name in ("repo_quality", "imo_grading", "20/20/10"))


def test_a_domain_is_shown_with_one_train_item_and_its_seed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["domains", "panel?kinds=2"]) == 0
    told = capsys.readouterr().out
    domain = load("panel?kinds=2")
    for text in ("score   accuracy, higher is better", "20,000 characters", '"kind": "kind_'):
        assert text in told
    assert domain.seed_files()["task_agent.py"].decode().strip() in told
    assert "\x1b" not in told, "a pipe gets no colours"
    shown = [domain.items(split)[0].inputs for split in ("train", "val", "test")]
    assert [str(inputs["a"]) in told for inputs in shown] == [True, False, False]


def test_a_domain_is_shown_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["domains", "repo_quality", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["limits"] == {"characters": 20000, "cpu_s": None}
    assert told["seed"] == load("repo_quality").seed_files()["task_agent.py"].decode()
    assert told["task_files"] == sorted(task_files(load("repo_quality")))


def test_long_inputs_are_cut() -> None:
    text = example_text({"messages": "x" * 5_000})
    assert len(text) < LONGEST_INPUTS + 50
    assert text.endswith(" characters more")


@needs_bubblewrap
def test_a_check_plays_the_seed_and_counts_its_time(tmp_path: Path) -> None:
    report = check_named(own(tmp_path))
    assert report.scores == {"train": 1.0, "val": 1.0, "test": 1.0}
    assert report.failures == report.notes == ()
    # Ten answers of 400,000 steps each take more than Python's own start.
    assert report.cpu_s is not None and 0.1 < report.cpu_s < 30


def test_what_cannot_be_played_says_why(tmp_path: Path) -> None:
    report = check_named("repo_quality+panel?kinds=2")
    assert report == DomainReport(
        "repo_quality+panel?kinds=2",
        "mean fitness",
        not_played="its seed asks a model; a run plays it (hyperspace pair)",
    )


@needs_bubblewrap
def test_a_seed_that_does_not_pass_a_gate_fails_the_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["domains", own(tmp_path, "class Other: ..."), "--check"]) == 1
    told = capsys.readouterr().out
    assert "FAILED: the seed does not pass the gate signature: task_agent.py defines no" in told


def test_a_broken_contract_fails_the_check_and_nothing_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["domains", own(tmp_path, score="float('nan')"), "--check", "--json"]) == 1
    (report,) = json.loads(capsys.readouterr().out)["domains"]
    assert report["not_played"] == "it does not keep its contract"
    assert "the score of no predictions on train is nan" in report["failures"][0]


@needs_bubblewrap
def test_a_domain_that_raises_while_its_seed_is_played_fails_the_check(tmp_path: Path) -> None:
    fragile = "super().score(split, predictions) / ('False' not in predictions.values())"
    report = check_named(own(tmp_path, score=fragile))
    (told,) = report.failures
    assert told.startswith("it failed while its seed was played: ZeroDivisionError: ")


@pytest.mark.long
def test_a_new_domain_keeps_the_contract(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["domains", "--new", "crates"]) == 0
    assert "--domain crates.py:crates --models" in capsys.readouterr().out
    assert main(["domains", "crates.py:crates", "--check"]) == 0
    told = capsys.readouterr().out
    assert "crates.py:crates keeps the contract" in told
    assert "note" not in told
    before = Path("crates.py").read_text()
    assert "$" not in before
    assert main(["domains", "--new", "crates"]) == 2
    assert "exists and stays as it is" in capsys.readouterr().err
    assert Path("crates.py").read_text() == before


@pytest.mark.long
@needs_bubblewrap
def test_a_pair_plays_a_new_domain(tmp_path: Path) -> None:
    written = hyperspace("domains", "--new", "crates", "-o", "mine.py", cwd=tmp_path)
    line = re.search(r"^  hyperspace (pair .*)$", written.stdout, re.MULTILINE)
    assert line is not None, written.stderr
    done = hyperspace(*line[1].split(), "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["run"].startswith("results/crates/")


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--new", "Crates"), "is of lower-case letters, digits and underscores"),
        (("--new", "class"), "no word of Python"),
        (("--new", "crates", "-o", "crates.txt"), "ends in .py"),
        (("--new", "crates", "--check"), "--new writes a file and nothing else"),
        (("panel", "-o", "x.py"), "-o is where --new writes"),
        (("no_such",), "no domain is called 'no_such'"),
        (("panel", "repo_quality"), "several domains are joined by +"),
    ],
)
def test_bad_words_are_told_in_one_line(words: tuple[str, ...], says: str, tmp_path: Path) -> None:
    assert says in failed(hyperspace("domains", *words, cwd=tmp_path), 2)


def test_a_terminal_gets_colours_and_nothing_that_the_code_holds(tmp_path: Path) -> None:
    spec = own(tmp_path, '"""\x1b[2J"""\nclass TaskAgent: ...')
    ours, theirs = os.openpty()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color"}
    shown = b""
    with os.fdopen(ours, "rb", buffering=0) as screen:
        command = [*HYPERSPACE, "domains", spec]
        with subprocess.Popen(command, stdout=theirs, env=environment) as process:
            os.close(theirs)
            with suppress(OSError):  # a terminal that nobody writes to any more
                while text := screen.read(4096):
                    shown += text
    assert process.returncode == 0
    assert b"\x1b[9" in shown
    assert b"\x1b[2J" not in shown
    assert b"\\u001b[2J" in shown
