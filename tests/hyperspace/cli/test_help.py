"""What `--help` says: every default, and examples that work."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from hyperspace.cli.commands.space import ACTIONS
from hyperspace.cli.examples import EXAMPLES
from hyperspace.cli.main import main
from hyperspace.cli.parser import COMMANDS
from hyperspace.options.option import LAUNCHES
from tests.support.command import hyperspace
from tests.support.runs.played import ROOT
from tests.support.sandboxes import needs_bubblewrap

ENDLESS = ("serve", "space watch", "dashboard results")  # until Ctrl-C
ELSEWHERE = "workers"  # needs a cluster; tests/hyperspace/cli/cluster has one
LONG = "--arms"  # six runs of four agents


def lines_of(capsys: pytest.CaptureFixture[str], *command: str) -> list[str]:
    with pytest.raises(SystemExit) as exit_:
        main(command)
    assert exit_.value.code == 0
    return capsys.readouterr().out.splitlines()


def help_of(capsys: pytest.CaptureFixture[str], *command: str, flag: str = "--help") -> str:
    return " ".join(" ".join(lines_of(capsys, *command, flag)).split())


@pytest.mark.parametrize("command", [*COMMANDS, *(f"space {action}" for action in ACTIONS)])
def test_the_help_of_a_command_ends_with_examples(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert help_of(capsys, *command.split()).endswith(f"hyperspace {EXAMPLES[command][-1]}")


def test_help_of_a_command_is_asked_for_in_two_ways(capsys: pytest.CaptureFixture[str]) -> None:
    for asked in (("space", "marks"), ("pair",), ()):
        assert lines_of(capsys, "help", *asked) == lines_of(capsys, *asked, "--help")


def test_the_version_is_told_by_its_short_name_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert lines_of(capsys, "-v") == lines_of(capsys, "--version")


@pytest.mark.parametrize(
    ("command", "defaults"),
    [
        ("pair", ["10 for a new one", "(default: 42)", "(default: results)", "(default: best)"]),
        ("solo", ["10 for a new one", "both (default: agent)", "latest, best, score_child_prop"]),
        ("fleet", ["(default: auto,", "(default: all)", "(default: what the file says)"]),
        ("serve", ["8000", "127.0.0.1", "(default: 0)", "asks for (default: 1)"]),
    ],
)
def test_defaults_are_told(
    command: str, defaults: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    told = help_of(capsys, command, flag="--help-all" if command in LAUNCHES else "--help")
    for default in defaults:
        assert default in told


@pytest.mark.parametrize("command", LAUNCHES)
def test_help_of_a_launching_command_is_ten_options_and_examples_on_one_screen(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    lines = lines_of(capsys, command, "--help")
    assert 20 <= len(lines) <= 40
    assert max(map(len, lines)) <= 100
    options = [line for line in lines if line.startswith("  --")]
    assert len(options) == 11
    assert options[-1].startswith("  --help-all")
    assert "examples:" in lines


def test_help_all_shows_every_option_below_its_heading(capsys: pytest.CaptureFixture[str]) -> None:
    lines = lines_of(capsys, "solo", "--help-all")
    for heading, option in {"arm": "--freeze-meta", "limits": "--max-hours"}.items():
        start = lines.index(f"{heading}:")
        end = next(at for at in range(start + 1, len(lines)) if lines[at].endswith(":"))
        assert any(line.startswith(f"  {option}") for line in lines[start:end])
    assert not any("--generations-if-new" in line for line in lines)


@pytest.mark.parametrize(
    "module",
    [
        "replication.eval_progress",
        "replication.data.prepare",
        "transfer_experiment.eval_progress",
        "transfer_experiment.analyze_runs",
        "transfer_experiment.run_shared",
        "benchmarks.detectors",
    ],
)
def test_a_module_calls_itself_what_it_was_called_by(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", module, "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"usage: python -m {module} ")


@pytest.mark.long
@needs_bubblewrap
def test_the_examples_work_in_their_order(tmp_path: Path) -> None:
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    for lines in EXAMPLES.values():
        for line in lines:
            if line.startswith((*ENDLESS, ELSEWHERE)) or LONG in line:
                continue
            done = hyperspace(*shlex.split(line), cwd=tmp_path)
            assert done.returncode == 0, (line, done.stderr)
