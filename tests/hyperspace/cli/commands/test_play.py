"""`hyperspace play`: an answer is shown from the record, and held against it."""

import json
import os
import pty
import subprocess
from functools import partial
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.support.command import HYPERSPACE, failed, hyperspace
from tests.support.paths import ROOT

TASKS = ROOT / "tests" / "support" / "tasks"
CORRIDOR, SQUARES = (f"{TASKS / name}.py:{name}" for name in ("corridor", "squares"))


def played(domain: str, results: Path) -> Path:
    done = hyperspace(
        *("pair", "--domain", domain, "--models", "offline/stuck", "offline/stuck"),
        *("--generations", "1", "--results", results),
    )
    assert done.returncode == 1, done.stderr
    (record,) = results.glob("*/*/*/run_config.json")
    return record.parent


@pytest.fixture(scope="module")
def corridor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(f"{CORRIDOR}?seed=nonsense", tmp_path_factory.mktemp("corridor"))


def show(run: Path, *options: str, address: str = "#stuck") -> list[str]:
    done = hyperspace("play", f"{run}{address}", "--domain", f"{CORRIDOR}?seed=nonsense", *options)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.long
def test_an_episode_is_played_again_step_by_step(corridor: Path) -> None:
    lines = show(corridor, "--split", "train", "--item", "0")
    assert lines[:6] == ["start", "@.....|", "step 1: fly", "@.....|", "step 2: right", ".@....|"]
    assert lines[-1] == "train item train-0: score 1, illegal 5, steps 10"


@pytest.mark.long
def test_a_terminal_shows_step_over_step_and_obeys_no_action(corridor: Path) -> None:
    own, outer = pty.openpty()
    line = [*HYPERSPACE, "play", f"{corridor}#stuck", "--domain", f"{CORRIDOR}?seed=nonsense"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen([*line, "--speed", "1000"], stdout=outer, env=environment) as process:
        os.close(outer)
        shown = b"".join(iter(partial(_read, own), b""))
    os.close(own)
    assert process.returncode == 0
    assert shown.startswith(b"\x1b[H\x1b[2Jstart")
    assert shown.count(b"\x1b[H\x1b[2Jstep ") >= 5
    assert b"u001b" not in shown


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65_536)
    except OSError:  # the terminal's other end is closed
        return b""


@pytest.mark.long
def test_the_final_evaluation_is_what_test_means(corridor: Path) -> None:
    done = show(corridor, "--split", "test", "--json")
    (line,) = done
    record = json.loads(line)
    assert record["item"] == "test-0"
    assert [frame["action"] for frame in record["frames"][1:]] == record["answer"].split("\n")


@pytest.mark.long
def test_answers_that_are_not_the_recorded_ones_are_not_played(
    corridor: Path, tmp_path: Path
) -> None:
    path = corridor / "stuck/gen_0/eval_val/answers.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"fly\\nright", b"right\\nright", 1))
    try:
        done = hyperspace(
            "play", f"{corridor}#stuck/gen_0", "--domain", f"{CORRIDOR}?seed=nonsense"
        )
        assert "is not the recorded one" in failed(done, 2)
        audited = hyperspace("audit", corridor)
        assert audited.returncode == 1, "the audit says so, too"
    finally:
        path.write_bytes(whole)


@pytest.mark.long
def test_an_export_without_answers_says_so(corridor: Path, tmp_path: Path) -> None:
    target = tmp_path / "run.zip"
    assert hyperspace("export", corridor, "--redact", "--out", target).returncode == 0
    with ZipFile(target) as packed:
        packed.extractall(tmp_path)
    (record,) = tmp_path.rglob("run_config.json")
    lines = [path.read_text() for path in record.parent.rglob("answers.jsonl")]
    assert lines
    assert not any("right" in line for line in lines)
    done = hyperspace("play", f"{record.parent}#stuck", "--domain", f"{CORRIDOR}?seed=nonsense")
    assert "was taken out when this run was exported" in failed(done, 2)


@pytest.mark.long
@pytest.mark.parametrize(
    ("address", "options", "says"),
    [
        ("", (), "name one of its agents, as #stuck or #stuck_b"),
        ("#other", (), "name one of its agents"),
        ("#stuck/gen_7", (), "stuck has no generation 7"),
        ("#stuck", ("--item", "99"), "val has the items 0 to 9, and no 99"),
        ("#stuck/gen_0", ("--split", "test"), "gen_0 was not evaluated on test"),
    ],
)
def test_what_is_not_there_is_told_in_one_sentence(
    corridor: Path, address: str, options: tuple[str, ...], says: str
) -> None:
    done = hyperspace(
        "play", f"{corridor}{address}", "--domain", f"{CORRIDOR}?seed=nonsense", *options
    )
    assert says in failed(done, 2)


@pytest.mark.long
def test_the_domain_of_a_file_is_run_on_a_persons_word_alone(corridor: Path) -> None:
    assert "if you trust it, add --domain" in failed(hyperspace("play", f"{corridor}#stuck"), 2)


@pytest.mark.long
def test_an_artefact_is_shown_as_it_was_given(tmp_path: Path) -> None:
    run = played(SQUARES, tmp_path)
    done = hyperspace("play", f"{run}#stuck", "--domain", SQUARES, "--item", "1")
    assert done.stdout.splitlines() == ["25", "val item val-1: score 1"]


@pytest.mark.long
def test_an_answer_with_a_label_is_shown_beside_it(tmp_path: Path) -> None:
    run = played("repo_quality", tmp_path)
    done = hyperspace("play", f"{run}#stuck", "--split", "test", "--item", "3")
    answer, last = done.stdout.splitlines()
    assert answer in ("accept", "reject")
    assert last.startswith("test item ")
    assert last.endswith(("the label is accept", "the label is reject"))
