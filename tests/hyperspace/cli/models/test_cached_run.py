"""`--cache`: the second run asks nobody, pays nothing, and is the same."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import failed, hyperspace
from tests.support.sandboxes import needs_bubblewrap
from tests.support.servers.server import Server, serving

pytestmark = [
    pytest.mark.long,
    needs_bubblewrap,  # what language models write never runs without a boundary
]


def play(server: Server, results: Path, cache: Path) -> Any:
    models = [f"{name}@{server.url}" for name in ("tinker", "magpie")]
    rest = ("--domain", "repo_quality", "--generations", "1", "--results", results)
    done = hyperspace("pair", "--models", *models, *rest, "--cache", cache, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_an_equal_run_is_served_from_the_cache(tmp_path: Path) -> None:
    with serving() as server:
        first = play(server, tmp_path / "one", tmp_path / "cache")
        asked = server.requests()
        assert asked > 0
        again = play(server, tmp_path / "two", tmp_path / "cache")
        assert server.requests() == asked
    assert again["digest"] == first["digest"]
    run = Path(again["run"])
    traces = [path.read_text().splitlines() for path in run.glob("*/gen_*/llm_calls.jsonl")]
    lines = [json.loads(line) for trace in traces for line in trace]
    assert lines
    assert all(call["cached"] and call["cost_usd"] == 0 for call in lines)
    ledger = [json.loads(line) for line in (run / "ledger.jsonl").read_text().splitlines()]
    assert {line["kind"] for line in ledger} == {"ledger", "worked"}
    record = json.loads((run / "run_config.json").read_text())
    assert record["cache"] == str(tmp_path / "cache")
    assert hyperspace("replay", run).returncode == 0


def test_a_bound_that_is_no_number_is_a_usage_error() -> None:
    for text in ("0", "-1", "nan", "many"):
        done = hyperspace(
            "pair", "--models", "a", "b", "--domain", "d", "--cache", "--cache-max-gb", text
        )
        assert "no number above 0" in failed(done, 2)


def test_a_bound_needs_a_cache(tmp_path: Path) -> None:
    models = ("--models", "offline/tinker", "offline/magpie", "--domain", "repo_quality")
    done = hyperspace("pair", *models, "--cache-max-gb", "1", "--results", tmp_path)
    assert "add --cache" in failed(done, 2)
