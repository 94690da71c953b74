import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from guards.sandboxes.doctor import describe, examine
from guards.sandboxes.process import ProcessSandbox
from hyperspace.cli.main import main
from tests.support.command import HYPERSPACE, failed, hyperspace
from tests.support.sandboxes import needs_bubblewrap

ATTACKS = [
    "key in the host's environment",
    "loopback network",
    "file in the home folder",
    "write outside the workspace",
]


class Unconfined(ProcessSandbox):
    """Says that it is a boundary, and is none."""

    name = "unconfined"
    is_boundary = True


def findings(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    told = json.loads(capsys.readouterr().out)
    return {**told, **{finding["name"]: finding for finding in told["sandboxes"]}}


def reached(finding: dict[str, Any]) -> list[str]:
    return [attack["name"] for attack in finding["attacks"] if attack["got_through"]]


@pytest.mark.long
@needs_bubblewrap
def test_the_attack_fails_in_a_boundary_and_succeeds_without_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["doctor", "--json"]) == 0
    told = findings(capsys)
    assert told["boundary"] == "bubblewrap"
    assert told["bubblewrap"]["usable"] and not reached(told["bubblewrap"])
    assert [attack["name"] for attack in told["bubblewrap"]["attacks"]] == ATTACKS
    assert not told["process"]["is_boundary"] and reached(told["process"]) == ATTACKS


@pytest.mark.docker
def test_docker_withstands_the_attack_too(capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor", "--json"])
    told = findings(capsys)["docker"]
    assert told["usable"] and len(told["attacks"]) == len(ATTACKS) and not reached(told)


def test_a_boundary_that_lets_the_attack_through_is_not_usable() -> None:
    found = examine(Unconfined())
    assert not found.usable
    assert describe(found).startswith("BROKEN, do not use it; got through: key in the host's")


def test_the_attack_leaves_nothing_in_the_home_folder() -> None:
    examine(ProcessSandbox())
    assert not list(Path.home().glob(".hyperspace-canary-*"))


@pytest.mark.long
@pytest.mark.parametrize("most", [10, 14])
def test_too_few_open_files_are_no_missing_boundary(most: int) -> None:
    shell = ["sh", "-c", f'ulimit -n {most} && exec "$@"', "sh"]
    done = subprocess.run(
        [*shell, *HYPERSPACE, "doctor"], capture_output=True, text=True, check=False
    )
    told = failed(done, 1)
    assert "too many files are open; raise the limit (ulimit -n)" in told


@pytest.mark.long
def test_without_a_boundary_it_says_how_to_get_one_and_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere")
    done = hyperspace("doctor")
    lines = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert done.returncode == 1
    assert "apt-get install bubblewrap" in lines["bubblewrap"]
    assert "apt-get install docker.io" in lines["docker"]
    assert "got through" in lines["process"]
    assert lines["no"] == "no boundary: only built-in offline models can run here"
