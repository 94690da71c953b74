"""The recipes of CONTRIBUTING.md: each example is one file, and works by itself."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from guards.sandboxes.choose import register as register_sandbox
from guards.sandboxes.process import ProcessSandbox
from hyperspace.kernel.selection.named import rule
from hyperspace.models.providers import hosted
from hyperspace.models.providers import register as register_provider
from tests.support.command import failed, hyperspace
from tests.support.paths import ROOT
from tests.support.sandboxes import needs_bubblewrap
from tests.support.servers.server import serving

EXAMPLES = ROOT / "docs" / "examples"
SOLO = ("solo", "--model", "offline/climber", "--domain", "repo_quality", "--no-controls")
RULE = ("--selection", "fewest_children")


@pytest.fixture
def recipe(tmp_path: Path) -> Callable[[str], Path]:
    """Copies one example to where nothing else is: one file is all that it takes."""

    def copy(name: str) -> Path:
        return Path(shutil.copy(EXAMPLES / name, tmp_path))

    return copy


def run(program: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, str(program), *arguments],
        capture_output=True,
        text=True,
        cwd=program.parent,
        timeout=300,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), **variables},
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def parcels(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A pair on the example's domain: its result, with the folder that it was played in."""
    folder = tmp_path_factory.mktemp("parcels")
    spec = f"{shutil.copy(EXAMPLES / 'domain.py', folder)}:parcels"
    models = ("--models", "offline/tinker", "offline/magpie", "--seed", "1", "--generations", "1")
    done = hyperspace("pair", "--domain", spec, *models, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    return {**json.loads(done.stdout), "folder": folder}


@pytest.mark.long
def test_a_domain_is_one_file(parcels: Any) -> None:
    assert parcels["run"].endswith("results/parcels/tinker_vs_magpie/seed1")
    assert max(agent["best_val"] for agent in parcels["agents"]) > 0.925  # generation 0's


@pytest.mark.long
def test_a_detector_is_one_file(parcels: Any, recipe: Callable[[str], Path]) -> None:
    program, path = recipe("detector.py"), str(parcels["folder"] / parcels["run"])
    told = run(program, "analyze", path).stdout
    assert "    tinker: ran a program of its own in generation 1\n" in told
    findings = json.loads(run(program, "analyze", path, "--json").stdout)["runs"][0]["findings"]
    assert {trial["agent"] for trial in findings["trials"]} == {"tinker", "magpie"}
    assert all("python" in trial["evidence"][0]["quote"] for trial in findings["trials"])


def played(program: Path, iterations: int) -> tuple[Any, list[int | None]]:
    """Play the example's rule; the result, and the parent of each generation."""
    done = run(program, *SOLO, *RULE, "--iterations", str(iterations), "--json")
    result = json.loads(done.stdout)
    archive = Path(program.parent, result["run"], "climber", "archive.jsonl").read_text("utf-8")
    return result, [json.loads(line)["parent"] for line in archive.splitlines()]


@pytest.mark.long
def test_a_selection_rule_is_one_file(recipe: Callable[[str], Path]) -> None:
    result, parents = played(recipe("selection_rule.py"), 2)
    assert parents == [None, 0, 1]
    assert "/arm_fewest_children/" in result["run"]


@pytest.mark.long
def test_a_run_by_a_rule_of_ones_own_is_replayed(recipe: Callable[[str], Path]) -> None:
    program = recipe("selection_rule.py")
    result, parents = played(program, 4)
    assert parents == [None, 0, 1, 2, 3]
    again = run(program, "replay", result["run"]).stdout
    assert f"digest {result['digest']}, as recorded" in again


@pytest.mark.long
def test_a_rule_that_nobody_registered_is_named_beside_those_that_exist(tmp_path: Path) -> None:
    message = failed(hyperspace(*SOLO, *RULE, cwd=tmp_path), 2)
    assert "'fewest_children'; there are random, latest, best, kept, initial, score_prop" in message


@pytest.mark.long
def test_a_provider_is_one_file(recipe: Callable[[str], Path]) -> None:
    program = recipe("provider.py")
    listed = run(program, "models").stdout
    assert "https://api.mycloud.example/v1" in listed
    assert "MYCLOUD_API_KEY" in listed
    with serving("some-model=grader") as server:
        here = {"MYCLOUD_BASE_URL": server.url, "MYCLOUD_API_KEY": "any"}
        assert "some-model" in run(program, "models", "--ping", "mycloud/some-model", **here).stdout


@pytest.mark.long
@needs_bubblewrap
def test_a_sandbox_is_one_file(recipe: Callable[[str], Path]) -> None:
    program = recipe("sandbox.py")
    selftest = ("audit", "--selftest", "--sandbox", "tight", "--family", "network", "--json")
    attacks = json.loads(run(program, *selftest).stdout)["attacks"]
    assert {(attack["sandbox"], attack["pass"]) for attack in attacks} == {("tight", True)}
    pair = ("pair", "--models", "offline/tinker", "offline/magpie", "--domain", "repo_quality")
    played = run(program, *pair, "--generations", "1", "--sandbox", "tight", "--json")
    record = Path(program.parent, json.loads(played.stdout)["run"], "run_config.json")
    assert json.loads(record.read_text("utf-8"))["sandbox"] == "tight"


@pytest.mark.parametrize(
    "register",
    [
        lambda: rule("best"),
        lambda: rule("Best/Of"),
        lambda: register_provider(hosted("ollama", "http://127.0.0.1:1/v1")),
        lambda: register_sandbox("process", ProcessSandbox, lambda: None),
        lambda: register_sandbox("bubblewrap", ProcessSandbox, lambda: None),
        lambda: register_sandbox("my sandbox", ProcessSandbox, lambda: None),
    ],
)
def test_a_name_is_given_once_and_can_be_written(register: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r"taken|already"):
        register()
