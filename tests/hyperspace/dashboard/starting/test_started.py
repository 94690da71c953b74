"""A run that a page starts is the run that the command line would start."""

import json
import shlex
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import hyperspace, pair
from tests.support.dashboards import Client, dashboard
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [pytest.mark.long, needs_bubblewrap]

WAIT_S = 120.0
PAIR: dict[str, Any] = {
    "command": "pair",
    "models": ["offline/tinker", "offline/magpie"],
    "generations": 2,
    "seed": 3,
}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    (tmp_path / "results").mkdir()
    with dashboard(tmp_path / "results", tmp_path / "cache", steer=True) as client:
        yield client


def ended(client: Client, name: str) -> Any:
    """Wait for the end of a run; its summary."""
    summary = client.settings.results / name / "summary.json"
    until = time.monotonic() + WAIT_S
    while not summary.exists():
        assert time.monotonic() < until, (summary.parent.parent / "seed3.log").read_text()
        time.sleep(0.05)
    return json.loads(summary.read_text())


def test_a_started_pair_plays_to_the_digest_of_the_command_line(
    client: Client, tmp_path: Path
) -> None:
    ahead = client.change("/api/run/forecast", PAIR, "forecast-1")
    assert ahead.json()["expected"]["usd"] == 0
    assert not [*client.settings.results.iterdir()]
    answer = client.change("/api/run", PAIR, "start-key-1")
    assert answer.status == 200, answer.text
    again = client.change("/api/run", PAIR, "start-key-1")
    assert again.text == answer.text  # the same key: one run, one process
    begun = answer.json()
    assert begun["name"] == "repo_quality/tinker_vs_magpie/seed3"
    assert begun["address"] == f"/runs/{begun['id']}"
    assert client.get(begun["address"]).status == 200
    digest = ended(client, begun["name"])["digest"]
    assert digest == pair(tmp_path / "other")["digest"]
    assert [run["id"] for run in client.get("/api/runs").json()["runs"]] == [begun["id"]]
    done = hyperspace(*shlex.split(begun["command"])[1:], "--json")  # as it says: the same run
    assert json.loads(done.stdout)["digest"] == digest


def test_a_pair_plays_on_several_domains_at_once(client: Client) -> None:
    both = PAIR | {"domain": "repo_quality+panel"}
    answer = client.change("/api/run/forecast", both, "forecast-2")
    assert answer.status == 200, answer.text


def test_what_is_started_again_under_another_key_is_the_same_run(client: Client) -> None:
    first = client.change("/api/run", PAIR, "start-key-1").json()
    second = client.change("/api/run", PAIR, "start-key-2")
    if second.status == 422:
        assert "is being worked on" in second.json()["error"]
    ended(client, first["name"])
    third = client.change("/api/run", PAIR, "start-key-3").json()
    assert "error" not in third, third
    assert third["id"] == first["id"] and third["pid"] == 0


def test_a_solo_arm_and_a_fleet_are_started_and_the_file_of_a_fleet_is_kept(
    client: Client,
) -> None:
    solo = {
        "command": "solo",
        "models": ["offline/tinker"],
        "generations": 1,
        "options": {"arm": "b", "eval-samples": 5, "policy": ["growth=off", "secrets=flag"]},
    }
    begun = client.change("/api/run", solo, "solo-key-1").json()
    assert begun["name"] == "repo_quality/repo_quality/arm_b_freeze/seed42"
    assert ended(client, begun["name"])["digest"]
    solo["options"] = {"experiment": "mine"}
    begun = client.change("/api/run", solo, "solo-key-2").json()
    assert begun["name"] == "repo_quality/mine/arm_a_full/seed42"
    assert shlex.split(begun["command"]).count("--experiment=mine") == 1
    assert ended(client, begun["name"])["digest"]
    fleet = {"command": "fleet", "models": ["offline/tinker"] * 3, "generations": 1, "name": "trio"}
    begun = client.change("/api/run", fleet, "fleet-key-1").json()
    assert begun["name"] == "repo_quality/trio/seed42"
    assert len(ended(client, begun["name"])["agents"]) == 3
    kept = client.settings.results / "fleets" / "trio.toml"
    assert str(kept) in begun["command"]
    other = fleet | {"models": ["offline/tinker"] * 2}
    refused = client.change("/api/run", other, "fleet-key-2")
    assert refused.status == 422
    assert "is of another fleet" in refused.json()["error"]
