"""Real rows, the real SDK, real HTTP: a pair on IMO-GradingBench against our own model server."""

import json
import signal
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from hyperspace.kernel.state.digest import digest
from hyperspace.spending.ledger_file import read_lines
from hyperspace.spending.ledger_lines import SettledCall
from tests.support.command import failed, hyperspace, kill_at
from tests.support.sandboxes import needs_bubblewrap
from tests.support.servers.server import ROOT, Server, serving

DATA = ROOT.parent / "shared" / "data" / "imo_grading"
BRAINS = ("a=tinker", "b=magpie", "g=grader")
LABELS = {"incorrect", "partial", "almost", "correct"}

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not DATA.is_dir(), reason=f"the IMO-GradingBench splits are not at {DATA}"),
    needs_bubblewrap,  # what language models write never runs without a boundary
]


@pytest.fixture(scope="module")
def server() -> Generator[Server]:
    with serving(*BRAINS) as running:
        yield running


def command(server: Server, results: Path, generations: int = 1) -> list[str]:
    a, b, g = (f"{name}@{server.url}" for name in "abg")
    models = ["--models", a, b, "--eval-model", g]
    rest = ["--generations", str(generations), "--seed", "1", "--results", str(results)]
    return ["pair", "--domain", "imo_grading", "--data", str(DATA), *models, *rest]


@pytest.fixture(scope="module")
def job(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Any:
    done = hyperspace(*command(server, tmp_path_factory.mktemp("wire")), "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def calls(run: Path, agent: str, generation: int) -> list[Any]:
    trace = run / agent / f"gen_{generation}" / "llm_calls.jsonl"
    return [json.loads(line) for line in trace.read_text().splitlines()]


def test_the_seed_names_no_labels_and_scores_nothing_until_it_is_repaired(job: Any) -> None:
    for agent in job["agents"]:
        first = calls(Path(job["run"]), agent["name"], 0)
        graded = [call["response"] for call in first if call["purpose"] == "train"]
        assert graded
        assert not any(answer.strip().lower() in LABELS for answer in graded)
        assert agent["best_generation"] == 1
        assert agent["best_val"] > 0


def test_agents_work_by_tool_calls_over_the_wire(job: Any) -> None:
    modify = [call for call in calls(Path(job["run"]), "a", 1) if call["purpose"] == "modify"]
    tools = {made["function"]["name"] for call in modify for made in call["tool_calls"] or ()}
    assert tools == {"bash", "editor"}
    assert modify[-1]["tool_calls"] is None
    assert all(call["usage"]["total_tokens"] > 0 for call in modify)


def test_every_item_of_the_real_splits_was_asked_through_the_broker(job: Any) -> None:
    made = [call for call in calls(Path(job["run"]), "b", 1) if call["purpose"] in ("train", "val")]
    assert len({(call["purpose"], call["item"]) for call in made}) == 200
    assert {call["model"] for call in made} == {"g"}


def test_what_names_a_row_or_its_label_is_in_no_request_of_an_evaluation(job: Any) -> None:
    sealed = ("Grading ID", "Problem ID", "Points", "Reward", "Problem Source", "label")
    for call in calls(Path(job["run"]), "a", 1):
        if call["purpose"] != "modify":
            text = call["messages"][0]["content"]
            assert "GB-" not in text
            assert not any(f"'{name}':" in text or f'"{name}":' in text for name in sealed)


def test_the_servers_count_is_the_ledgers_and_a_kill_pays_no_call_twice(
    job: Any, server: Server, tmp_path: Path
) -> None:
    before = server.requests()
    killed = command(server, tmp_path / "killed")
    for position in ("a:1:item:train:40", "b:1:item:val:60"):
        done = kill_at(tmp_path / "log", position, *killed)
        assert done.returncode == -signal.SIGKILL
    assert hyperspace(*killed).returncode == 0
    run = tmp_path / "killed" / "imo_grading" / "a_vs_b" / "seed1"
    asked = server.requests() - before
    made, paid = (paid_calls(folder) for folder in (Path(job["run"]), run))
    assert digest(run) == job["digest"]
    assert made <= asked <= made + 2
    assert paid == asked


def paid_calls(run: Path) -> int:
    return sum(isinstance(line, SettledCall) for line in read_lines(run / "ledger.jsonl"))


def lines(path: Path) -> int:
    return len(path.read_text().splitlines())


@pytest.mark.slow
def test_a_server_that_goes_away_pauses_the_run_and_it_goes_on(job: Any, tmp_path: Path) -> None:
    with serving(*BRAINS) as first:
        arguments = [*command(first, tmp_path), "--outage-minutes", "0.1"]
        with subprocess.Popen(
            [sys.executable, "-m", "hyperspace", *arguments],
            cwd=ROOT,
            text=True,
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as process:
            assert process.stderr is not None
            process.stderr.readline()
            first.process.kill()
            output, errors = process.communicate(timeout=300)
        paused = subprocess.CompletedProcess(arguments, process.returncode, output, errors)
        assert "the same command" in failed(paused, 1)
    with serving(*BRAINS, port=first.port):
        assert hyperspace(*arguments).returncode == 0
    run = tmp_path / "imo_grading" / "a_vs_b" / "seed1"
    assert lines(run / "a" / "archive.jsonl") == 2
