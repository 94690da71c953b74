"""`--eval-workers`: whole runs, killed, replayed, and with a candidate that crashes."""

import json
import signal
from pathlib import Path

import pytest

from hyperspace.kernel.state.digest import digest
from tests.support.command import hyperspace, kill_at
from tests.support.sandboxes import needs_bubblewrap
from tests.support.servers.server import ROOT

pytestmark = pytest.mark.long

MODELS = ("--models", "offline/tinker", "offline/magpie", "--eval-model", "offline/grader")
DOMAIN = "tests/support/tasks/asking.py:asking?dies=4"
RUN = ("asking", "tinker_vs_magpie", "seed5")
KILLS = ("tinker:0:item:train:11", "tinker:0:item:train:3")


def command(results: Path, workers: int, domain: str = DOMAIN) -> list[str]:
    numbers = ("--generations", "1", "--seed", "5", "--eval-workers", str(workers))
    return ["pair", *MODELS, "--domain", domain, *numbers, "--results", str(results)]


def played(results: Path, workers: int, domain: str = DOMAIN) -> Path:
    done = hyperspace(*command(results, workers, domain), cwd=ROOT)
    assert done.returncode == 2, done.stderr
    return results.joinpath(*RUN)


def killed(position: str, results: Path, workers: int, domain: str = DOMAIN) -> None:
    done = kill_at(f"{results}.log", position, *command(results, workers, domain))
    assert done.returncode == -signal.SIGKILL


@needs_bubblewrap
def test_a_crashing_candidate_is_one_whoever_works_whatever_is_killed(tmp_path: Path) -> None:
    alone = played(tmp_path / "one", 1)
    for position in KILLS:
        killed(position, tmp_path / "two", 2)
    together = played(tmp_path / "two", 3)
    assert digest(together) == digest(alone)
    metadata = json.loads((together / "tinker" / "gen_0" / "metadata.json").read_text())
    assert (metadata["valid"], metadata["error_class"]) == (False, "candidate")
    done = hyperspace("replay", together, "--domain", DOMAIN, "--json", cwd=ROOT)
    assert done.returncode == 0, done.stdout
    assert json.loads(done.stdout)["digest"] == digest(alone)


@needs_bubblewrap
def test_a_replay_asks_what_counted_however_many_would_have_asked_more(tmp_path: Path) -> None:
    domain = DOMAIN.replace("dies=4", "dies=10")  # so many that one worker asks a part of all
    killed("tinker:0:item:train:1", tmp_path / "r", 8, domain)  # what the record says
    run = played(tmp_path / "r", 1, domain)
    done = hyperspace("replay", run, "--domain", domain, "--json", cwd=ROOT)
    assert done.returncode == 0, done.stdout
