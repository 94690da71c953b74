"""Completion for shells: bash completes commands, options and their values."""

import subprocess

import pytest

from hyperspace.cli.commands.completion import SHELLS
from tests.support.command import failed, hyperspace

ASK = """
source /dev/stdin
COMP_WORDS=({line}) COMP_CWORD={at}
{function}
echo "${{COMPREPLY[@]}}"
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("line", "completed"),
    [
        ("hyperspace pa", "pair"),
        ("hyperspace pair --mod", "--models"),
        ("hyperspace pair --reset t", "task"),
        ("hyperspace space ma", "marks"),
    ],
)
def test_bash_completes(line: str, completed: str) -> None:
    script = hyperspace("completion", "bash").stdout
    function = script.rpartition(" -F ")[2].split()[0]
    ask = ASK.format(line=line, at=len(line.split()) - 1, function=function)
    done = subprocess.run(
        ["bash", "-c", ask], input=script, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [completed]


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_gets_a_script_with_every_command(shell: str) -> None:
    script = hyperspace("completion", shell).stdout
    assert "eval_progress" in script
    assert "allow-unknown-price" in script


def test_a_shell_that_there_is_not_is_told_those_that_there_are() -> None:
    assert "did you mean bash?" in failed(hyperspace("completion", "bas"), 2)
