"""`--eval-repeats`: whole runs, killed in any pass, resumed, replayed, and told of."""

import csv
import json
import signal
from pathlib import Path
from typing import Any

import pytest

from hyperspace.kernel.state.digest import digest
from hyperspace.tasks.table import normalise
from tests.support.command import failed, hyperspace, kill_at
from tests.support.sandboxes import needs_bubblewrap
from tests.support.servers.server import ROOT
from tests.support.tasks.asking import ITEMS

MODELS = ("--models", "offline/tinker", "offline/magpie", "--eval-model", "offline/grader")
DOMAIN = "tests/support/tasks/asking.py:asking"
RUN = ("asking", "tinker_vs_magpie", "seed5")
KILLS = (
    "tinker:0:item:train:15",  # in the second pass over the staged items
    "tinker:1:item:test:17",
)


def command(results: Path, repeats: int, *options: str) -> list[str]:
    numbers = ("--generations", "1", "--seed", "5", "--eval-repeats", str(repeats))
    return ["pair", *MODELS, "--domain", DOMAIN, *numbers, "--results", str(results), *options]


def played(results: Path, repeats: int, *options: str) -> Path:
    done = hyperspace(*command(results, repeats, *options), cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return results.joinpath(*RUN)


def killed(position: str, results: Path, *options: str) -> None:
    done = kill_at(f"{results}.log", position, *command(results, 2, *options))
    assert done.returncode == -signal.SIGKILL


def read(path: Path) -> Any:
    return json.loads(path.read_text())


def right(predictions: Path) -> int:
    with predictions.open(newline="") as lines:
        return sum(normalise(row["prediction"]) == row["label"] for row in csv.DictReader(lines))


@pytest.mark.long
@needs_bubblewrap
def test_passes_are_one_result_whoever_works_whatever_is_killed(tmp_path: Path) -> None:
    alone = played(tmp_path / "one", 2)
    for position in KILLS:
        killed(position, tmp_path / "two", "--eval-workers", "2")
    together = tmp_path.joinpath("two", *RUN)
    said = failed(hyperspace(*command(tmp_path / "two", 1), cwd=ROOT), 2)
    assert "eval_repeats=2, and you ask for eval_repeats=1" in said
    done = hyperspace("resume", together, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert digest(together) == digest(alone)
    assert read(together / "run_config.json")["configuration"]["eval_repeats"] == 2
    done = hyperspace("replay", together, "--domain", DOMAIN, "--json", cwd=ROOT)
    assert done.returncode == 0, done.stdout
    assert json.loads(done.stdout)["digest"] == digest(alone)
    _told(alone)
    _asked_again(alone / "tinker" / "gen_0")


def _told(run: Path) -> None:
    """A score is the mean of what the files of the passes say; the summary has the best one's."""
    folder = run / "tinker" / "gen_0"
    metadata, report = read(folder / "metadata.json"), read(folder / "eval_val" / "report.json")
    files = (folder / "eval_val" / place / "predictions.csv" for place in ("", "pass_2"))
    scores = [right(path) / ITEMS for path in files]
    assert report["scores"] == metadata["val_scores"] == pytest.approx(scores)
    assert report["score"] == metadata["val_score"] == pytest.approx(sum(scores) / 2)
    summary = read(run / "summary.json")
    final = read(run / "test_eval" / "tinker" / "metadata.json")
    assert summary["passes"]["tinker"]["test_scores"] == final["test_scores"]
    assert len(final["test_scores"]) == 2


def _asked_again(generation: Path) -> None:
    """Each item is asked in both passes, with another sampling seed: it is another draw."""
    trace = (generation / "llm_calls.jsonl").read_text()
    calls = [call for call in map(json.loads, trace.splitlines()) if call["purpose"] == "val"]
    first = {call["item"]: call["seed"] for call in calls if "/" not in call["item"]}
    again = {call["item"]: call["seed"] for call in calls if "/" in call["item"]}
    assert set(again) == {f"pass_2/{item}" for item in first}
    assert len(first) == ITEMS
    assert not set(first.values()) & set(again.values())


def annealed(folder: Path, experiment: str) -> Path:
    """Play tournaments for an ensemble's sake, test looked at, from a cache that starts empty."""
    solo = ("solo", "--model", "offline/climber", "--eval-model", "offline/grader", "--arm", "d")
    numbers = ("--iterations", "1", "--seed", "5", "--no-controls", "--eval-repeats", "2")
    terms = ("--annealing-p0", "1", "--optimise", "ensemble", "--eval-test", "--json")
    where = ("--domain", DOMAIN, "--results", folder, "--cache", folder / "cache")
    done = hyperspace(*solo, *numbers, *terms, *where, "--experiment", experiment, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return Path(json.loads(done.stdout)["run"])


@pytest.mark.long
@needs_bubblewrap
def test_passes_go_with_tournaments_ensembles_a_cache_and_a_replay(tmp_path: Path) -> None:
    run = annealed(tmp_path, "asked")
    first = read(run / "climber" / "gen_0" / "metadata.json")
    assert len(first["val_scores"]) == len(first["test_scores"]) == 2
    assert first["ensemble"] == {"members": [0], "val_score": first["val_score"]}
    assert read(run / "climber" / "gen_1" / "metadata.json")["tournament"]
    again = annealed(tmp_path, "cached")
    assert digest(again) == digest(run)
    calls = [read(one / "summary.json")["spending"]["total"]["calls"] for one in (run, again)]
    assert calls[0] > 0
    assert calls[1] == 0
    done = hyperspace("replay", again, "--domain", DOMAIN, "--json", cwd=ROOT)
    assert json.loads(done.stdout)["digest"] == digest(run)


@pytest.mark.parametrize("kind", ["pair", "solo", "fleet"])
def test_fewer_than_one_pass_is_refused(kind: str) -> None:
    said = failed(hyperspace(kind, "--eval-repeats", "0"), 2)
    assert "argument --eval-repeats: 0 is not at least 1" in said
