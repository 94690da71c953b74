"""Limits as a person meets them: on the command line, with real runs."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hyperspace.spending.budget import SpendingState
from hyperspace.spending.ledger_file import read_lines
from tests.support.command import PAIR, failed, hyperspace, kill_at, pair
from tests.support.sandboxes import needs_bubblewrap
from tests.support.servers.server import ROOT, Server, serving

pytestmark = pytest.mark.long

GENERATIONS = ("--generations", "1", "--seed", "3")


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return pair(tmp_path_factory.mktemp("reference"), generations=1)


def command(results: Path, *options: str) -> list[str]:
    return ["pair", *PAIR, *GENERATIONS, "--results", str(results), *options]


def run_of(results: Path, agents: str = "tinker_vs_magpie") -> Path:
    return results / "repo_quality" / agents / "seed3"


def budget_of(run: Path) -> SpendingState:
    budget = SpendingState()
    budget.take(read_lines(run / "ledger.jsonl"))
    return budget


def test_a_reached_limit_pauses_blames_nobody_and_goes_on_when_it_is_raised(
    reference: Any, tmp_path: Path
) -> None:
    run = run_of(tmp_path)
    message = failed(hyperspace(*command(tmp_path, "--max-tokens", "40000")), 1)
    assert "--max-tokens 40000 is reached" in message
    assert "the same command with a higher limit (or none) goes on" in message
    budget = budget_of(run)
    assert 0 < budget.spent.tokens + budget.reserved_tokens() <= 40000
    done = hyperspace("resume", run, "--max-tokens", "10000000", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["digest"] == reference["digest"]


def test_a_resume_keeps_the_limits_that_it_does_not_name(tmp_path: Path) -> None:
    failed(hyperspace(*command(tmp_path, "--max-tokens", "40000")), 1)
    run = run_of(tmp_path)
    assert "--max-tokens 40000" in failed(hyperspace("resume", run, "--max-hours", "9"), 1)
    limits = json.loads((run / "limits.json").read_text())["limits"]
    assert limits == {"usd": None, "tokens": 40000, "calls": None, "hours": 9.0}
    assert hyperspace("resume", run, "--max-tokens", "none").returncode == 0


def test_every_stop_is_in_the_audit_whose_chain_verifies(tmp_path: Path) -> None:
    for _ in range(2):
        failed(hyperspace(*command(tmp_path, "--max-tokens", "40000")), 1)
    audit = hyperspace("audit", run_of(tmp_path), "--kind", "budget", "--json")
    assert audit.returncode == 0
    stops = json.loads(audit.stdout)["refused"]
    assert [(stop["verdict"], stop["agent"]) for stop in stops] == [("paused", "")] * 2
    assert "--max-tokens 40000 is reached" in stops[0]["reason"]
    lines = (run_of(tmp_path) / "audit.jsonl").read_text().splitlines()
    assert [json.loads(line)["verdict"] for line in lines] == ["paused"] * 2
    assert "the run budget" in hyperspace("audit", run_of(tmp_path)).stdout


def test_hours_are_summed_over_resumes(reference: Any, tmp_path: Path) -> None:
    message = failed(hyperspace(*command(tmp_path, "--max-hours", "0.00002")), 1)
    assert "--max-hours 2e-05 is reached" in message
    again = hyperspace(*command(tmp_path, "--max-hours", "0.00002"))
    assert "--max-hours" in failed(again, 1)
    assert again.stderr.count("from an earlier start") == again.stderr.count(" gen ")
    assert budget_of(run_of(tmp_path)).worked_s >= 0.00002 * 3600
    done = hyperspace(*command(tmp_path, "--max-hours", "1", "--json"))
    assert json.loads(done.stdout)["digest"] == reference["digest"]


def test_a_run_without_money_limit_knows_that_offline_models_are_free(reference: Any) -> None:
    summary = json.loads((Path(reference["run"]) / "summary.json").read_text())
    total, fact = summary["spending"]["total"], summary["forecast"]["fact"]
    assert (total["cost_usd"], total["unpriced"]) == (0.0, 0)
    assert fact["calls"] == total["calls"] > 0
    assert fact["prompt_tokens"] == total["prompt_tokens"]
    assert sum(part["calls"] for part in summary["spending"]["by"]) == total["calls"]
    assert summary["forecast"]["expected"]["calls"] > 0
    assert summary["spending"]["usage_unknown"]["calls"] == 0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--max-usd", "-1"), "amount"),
        (("--max-usd", "nan"), "amount"),
        (("--max-tokens", "1.5"), "whole number"),
        (("--max-hours", "0"), "0 hours"),
        (("--prices", "/nowhere.toml"), "nowhere.toml"),
    ],
)
def test_what_is_no_limit_is_a_usage_error(
    tmp_path: Path, options: tuple[str, ...], says: str
) -> None:
    assert says in failed(hyperspace(*command(tmp_path, *options)), 2)
    assert list(tmp_path.iterdir()) == []


STRANGER = ("--models", "m@http://192.0.2.1:9/v1", "offline/tinker", "--domain", "repo_quality")


@pytest.mark.parametrize("more", [(), ("--dry-run",)])
def test_money_cannot_be_limited_where_a_price_is_not_known(
    tmp_path: Path, more: tuple[str, ...]
) -> None:
    asked = ("pair", *STRANGER, "--results", tmp_path, "--max-usd", "1", *more)
    assert "nobody knows what m@http://192.0.2.1:9/v1 costs" in failed(hyperspace(*asked), 2)
    assert list(tmp_path.iterdir()) == []


def test_a_dry_run_forecasts_and_writes_nothing(tmp_path: Path) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text(
        'format = 1\n[[provider]]\nname = "mine"\n'
        'models = [{ id = "m", input = 1.0, output = 2.0 }]\n'
    )
    results = tmp_path / "results"
    asked = ("pair", *STRANGER, "--results", results, "--dry-run", "--prices", prices)
    found = json.loads(hyperspace(*asked, "--max-usd", "1", "--json").stdout)
    assert found["expected"]["usd"] > 0
    assert found["unpriced"] == []
    table = hyperspace(*asked).stdout
    assert "all, expected" in table
    assert "no model was asked" in table
    assert not results.exists()


@pytest.fixture(scope="module")
def server() -> Any:
    with serving("a=tinker", "b=magpie") as running:
        yield running


def tokens_of(server: Server) -> int:
    models = server.stats()["models"].values()
    return sum(count["prompt_tokens"] + count["completion_tokens"] for count in models)


@needs_bubblewrap
def test_killed_under_a_limit_the_ledger_agrees_with_the_server_to_the_token(
    server: Server, tmp_path: Path
) -> None:
    before = tokens_of(server)
    models = ["--models", f"a@{server.url}", f"b@{server.url}", "--domain", "repo_quality"]
    asked = ["pair", *models, *GENERATIONS, "--results", str(tmp_path)]
    run, limited = run_of(tmp_path, "a_vs_b"), [*asked, "--max-tokens", "60000"]
    killed = kill_at(tmp_path / "log", "a:1:call:4", *limited)
    assert killed.returncode == -signal.SIGKILL
    assert budget_of(run).spent.tokens == tokens_of(server) - before
    assert "--max-tokens 60000 is reached" in failed(hyperspace(*limited), 1)
    budget = budget_of(run)
    assert budget.spent.tokens + budget.reserved_tokens() <= 60000
    assert hyperspace(*asked, "--max-tokens", "none").returncode == 0
    assert budget_of(run).spent.tokens == tokens_of(server) - before
    assert budget_of(run).reserved == {}


@needs_bubblewrap
def test_a_reply_that_is_lost_in_a_kill_stays_reserved_as_usage_unknown(tmp_path: Path) -> None:
    with serving("a=tinker", "b=magpie") as server:
        models = ["--models", f"a@{server.url}", f"b@{server.url}", "--domain", "repo_quality"]
        asked = ["pair", *models, *GENERATIONS, "--results", str(tmp_path)]
        run = run_of(tmp_path, "a_vs_b")
        program = [sys.executable, "-m", "hyperspace", *asked]
        with subprocess.Popen(program, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            for line in process.stderr:
                if line.startswith("b gen 0"):
                    os.kill(server.process.pid, signal.SIGSTOP)
                    break
            wait_for_reservation(run)
            process.kill()
        os.kill(server.process.pid, signal.SIGCONT)
        lost = budget_of(run).reserved
        assert len(lost) == 1
        assert hyperspace(*asked).returncode == 0
        summary = json.loads((run / "summary.json").read_text())
        unknown = summary["spending"]["usage_unknown"]
        assert unknown["calls"] == 1
        gap = tokens_of(server) - budget_of(run).spent.tokens
        assert 0 <= gap <= unknown["most_tokens"]


def wait_for_reservation(run: Path) -> None:
    """Wait until a call is in flight: reserved, and not settled while the server stands still."""
    seen = 0
    while True:
        reserved = len(budget_of(run).reserved)
        seen = seen + 1 if reserved else 0
        if seen > 20:
            return
