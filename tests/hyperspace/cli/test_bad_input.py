"""Wrong commands and hostile surroundings: one clear sentence, an exit code, nothing lost."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import PAIR, failed, hyperspace, pair
from tests.support.paths import ROOT
from tests.support.sandboxes import needs_bubblewrap

MODELS = ("--models", "offline/tinker", "offline/magpie")
REPO = ("--domain", "repo_quality")
IMO = ("--domain", "imo_grading")


@pytest.mark.long
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--models", "nonsense", "offline/tinker", *REPO], ["'nonsense'", "nearest: offline/"]),
        (
            ["--models", "offline/nobody", "offline/tinker", *REPO],
            ["'nobody'", "hyperspace models"],
        ),
        (["--models", "offline/tinkr", "offline/tinker", *REPO], ["nearest are tinker"]),
        (["--models", "tinkr", "offline/tinker", *REPO], ["nearest: offline/tinker"]),
        (["--models", "offline/tinker?depth=1", "offline/tinker", *REPO], ["'depth'", "trials"]),
        (["--models", "offline/tinker", *REPO], ["--models", "2 arguments"]),
        ([*MODELS, "--domain", "poetry"], ["'poetry'", "repo_quality", "imo_grading"]),
        ([*MODELS, "--domain", "repo_quality?rows=3"], ["rows_seed"]),
        ([*MODELS, *IMO], ["--data", "train.csv"]),
        ([*MODELS, *IMO, "--data", "/nowhere"], ["/nowhere", "train.csv"]),
        ([*MODELS, *REPO, "--seed", "many"], ["'many'", "whole number"]),
        ([*MODELS, *REPO, "--seed", "-1"], ["-1"]),
        ([*MODELS, *REPO, "--generations", "0"], ["0", "at least 1"]),
        ([*MODELS, *REPO, "--eval-workers", "65"], ["--eval-workers", "65 is more than 64"]),
        ([*MODELS, *REPO, "--eval-repeats", "1001"], ["--eval-repeats", "is more than 1,000"]),
        (
            [*MODELS, *REPO, "--cache", "--cache-max-gb", "1e305"],
            ["--cache-max-gb", "is more than 1,000,000,000"],
        ),
        ([*MODELS, *REPO, "--initial", "/nowhere"], ["--initial", "/nowhere"]),
        ([*MODELS, "--domain", "repo_qualty"], ["did you mean repo_quality?"]),
        ([*MODELS, *REPO, "--data", ""], ["--data", "an empty path"]),
        (["--models", "m@htp://h/v1", "offline/tinker", *REPO], ["begins with htp:"]),
        ([*MODELS, *REPO, "--sandbox", "jail"], ["jail", "bubblewrap"]),
    ],
)
def test_a_wrong_option_is_a_usage_error_that_says_what_exists(
    arguments: list[str], expected: list[str], tmp_path: Path
) -> None:
    message = failed(hyperspace("pair", *arguments, "--results", tmp_path), 2)
    for text in expected:
        assert text in message
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_missing_columns_are_named(tmp_path: Path) -> None:
    (tmp_path / "train.csv").write_text("Problem,Solution\n1,2\n")
    message = failed(hyperspace("pair", *MODELS, *IMO, "--data", tmp_path), 2)
    assert "train.csv" in message
    assert "Reward" in message


@pytest.mark.long
@needs_bubblewrap
def test_a_port_that_nobody_listens_on_is_named_before_anything_starts(tmp_path: Path) -> None:
    models = ("--models", "a@http://127.0.0.1:9/v1", "offline/tinker")
    message = failed(hyperspace("pair", *models, *REPO, "--results", tmp_path), 1)
    assert "http://127.0.0.1:9/v1" in message
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_another_configuration_in_the_folder_is_named_by_its_field(tmp_path: Path) -> None:
    before = pair(tmp_path, generations=1)
    again = ("pair", *PAIR, "--seed", "3", "--results", tmp_path)
    other = hyperspace(*again, "--generations", "1", "--fallback", "none")
    assert "fallback='best'" in failed(other, 2)
    assert pair(tmp_path, generations=1) == before


@pytest.mark.long
@pytest.mark.parametrize("content", ['{"format": 99}', "[]", "not json", '{"format": 1}'])
def test_a_folder_of_another_version_is_refused(content: str, tmp_path: Path) -> None:
    record = tmp_path / "repo_quality" / "tinker_vs_magpie" / "seed42" / "run_config.json"
    record.parent.mkdir(parents=True)
    record.write_text(content)
    message = failed(hyperspace("pair", *PAIR, "--results", tmp_path), 2)
    assert str(record) in message
    assert record.read_text() == content


@pytest.mark.long
def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    mine = tmp_path / "repo_quality" / "tinker_vs_magpie" / "seed42" / "thesis.txt"
    mine.parent.mkdir(parents=True)
    mine.write_text("years of work")
    assert "holds no run" in failed(hyperspace("pair", *PAIR, "--results", tmp_path), 2)
    assert list(mine.parent.iterdir()) == [mine]


@pytest.mark.long
@pytest.mark.parametrize("results", ["/dev/null", "/proc/nowhere"])
def test_results_that_cannot_be_written_are_named(results: str) -> None:
    assert results in failed(hyperspace("pair", *PAIR, "--results", results), 2)


@pytest.mark.long
def test_code_of_a_persons_own_is_not_run_without_a_boundary(tmp_path: Path) -> None:
    (tmp_path / "task_agent.py").write_text("x = 1\n")
    command = ("pair", *PAIR, "--initial", tmp_path, "--sandbox", "process")
    assert "--initial" in failed(hyperspace(*command, "--results", tmp_path / "r"), 2)


@pytest.mark.long
def test_a_folder_without_a_run_is_a_usage_error(tmp_path: Path) -> None:
    for command in (["audit"], ["digest"], ["resume"], ["space", "marks"]):
        assert "holds no run" in failed(hyperspace(*command, tmp_path), 2)


@pytest.mark.long
def test_a_full_disk_loses_nothing_and_the_same_command_goes_on(tmp_path: Path) -> None:
    mounted, free = tmp_path / "small", tmp_path / "free"
    mounted.mkdir()
    command = [sys.executable, "-m", "hyperspace", "pair", *PAIR, "--generations", "2"]
    run = " ".join([*command, "--seed", "3", "--json", "--results", str(mounted)])
    script = f"""
        mount -t tmpfs -o size=700k tmpfs {mounted} || exit 99
        {run}; echo "code $?" >&2
        mount -o remount,size=50m {mounted}
        {run}
    """
    shell = ["unshare", "-m", "sh", "-c", script]
    done = subprocess.run(shell, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode == 99 or "unshare:" in done.stderr:
        pytest.skip(f"a small disk cannot be mounted here: {done.stderr.strip()}")
    assert "code 1" in done.stderr
    assert "Traceback" not in done.stderr
    assert "no room left on the disk" in done.stderr or "the disk is full" in done.stderr
    assert pair(free, generations=2)["digest"] in done.stdout


def test_help_comes_without_loading_the_machinery() -> None:
    code = (
        "import sys; from hyperspace.cli.main import main\n"
        "try: main(['pair', '--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'openai', 'anyio', 'jinja2', 'rich', 'markspace', 'asyncio', 'sqlite3',\n"
        "         'hyperspace.lookup', 'hyperspace.kernel.state.marks', 'guards.sandboxes',\n"
        "         'hyperspace.launch'}\n"
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "--models" in done.stdout


@pytest.mark.long
@needs_bubblewrap
def test_a_results_folder_may_have_any_name_and_the_digest_is_the_same(tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"r\xff\n")
    assert pair(odd, generations=1)["digest"] == pair(tmp_path / "r", generations=1)["digest"]
    replayed = hyperspace("replay", odd / "repo_quality" / "tinker_vs_magpie" / "seed3")
    assert replayed.returncode == 0, replayed.stderr
