"""Forecasts from the command line: without a key, without a network, with what they rest on."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hyperspace.launch.forecast import LEVELS

CLAUDE, GPT = "claude-sonnet-4-6", "gpt-5.2"
FLEET = f"""
name = "three"
domain = "repo_quality"
generations = 2
[[agents]]
model = "{CLAUDE}"
[[agents]]
model = "{GPT}"
"""


def forecast(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Forecast in a process that has no key, no network and an empty folder."""
    alone = ("bwrap", "--dev-bind", "/", "/", "--unshare-net", "--clearenv")
    hyperspace = (sys.executable, "-m", "hyperspace", *words, "--dry-run")
    return subprocess.run(
        [*alone, "--setenv", "HOME", str(folder), "--chdir", str(folder), "--", *hyperspace],
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.long
@pytest.mark.parametrize(
    "words",
    [
        ("pair", "--models", CLAUDE, GPT, "--domain", "repo_quality"),
        ("pair", "--models", "m@http://127.0.0.1:9/v1", "ollama/x", "--domain", "repo_quality"),
        ("pair", "--models", GPT, "offline/tinker", "--domain", "repo_quality", "--max-usd", "5"),
        ("solo", "--model", CLAUDE, "--eval-model", GPT, "--domain", "repo_quality"),
        ("solo", "--model", CLAUDE, "--domain", "repo_quality", "--controls"),
        ("levels", "--tasks", "panel", "--models", GPT, "--budget", "50", "--seeds", "1,2"),
        ("arena", "--task", "email_validation", "--models", CLAUDE, "--tester-models", GPT),
        ("fleet", "--config", "three.toml"),
    ],
)
def test_a_forecast_needs_no_key_and_no_network(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "three.toml").write_text(FLEET)
    done = forecast(tmp_path, *words, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    assert all(said[level]["calls"] > 0 for level in LEVELS)
    assert [path.name for path in tmp_path.iterdir()] == ["three.toml"]


def test_the_three_figures_say_what_they_rest_on_and_why_they_lie_apart(tmp_path: Path) -> None:
    words = ("pair", "--models", CLAUDE, GPT, "--domain", "repo_quality")
    said = json.loads(forecast(tmp_path, *words, "--json").stdout)
    assert list(said["rests_on"]) == list(LEVELS)
    assert "4 calls" in said["rests_on"]["low"]
    lines = forecast(tmp_path, *words).stdout.splitlines()
    assert [f"{level}: {said['rests_on'][level]}" for level in LEVELS] == lines[-4:-1]
    assert lines[-1] == said["spread"]
    assert 0 < said["low"]["usd"] < said["expected"]["usd"] < said["high"]["usd"]
    assert 0 < said["low"]["seconds"] < said["expected"]["seconds"] < said["high"]["seconds"]


@pytest.mark.long
def test_a_name_that_is_none_is_refused_by_a_forecast_too(tmp_path: Path) -> None:
    for model in ("cluade-sonnet", f"{GPT}?nonsense=1", "m@ftp://host/v1"):
        done = forecast(tmp_path, "pair", "--models", model, GPT, "--domain", "repo_quality")
        assert done.returncode == 2, model
        assert len(done.stderr.splitlines()) == 1
