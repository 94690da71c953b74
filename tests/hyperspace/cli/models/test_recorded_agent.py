"""`replay:RUN#AGENT`: a recorded agent beside a live peer, and what is still valid of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import failed, hyperspace, pair
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [
    pytest.mark.long,
    needs_bubblewrap,  # what somebody's model wrote is never run without a boundary
]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return pair(tmp_path_factory.mktemp("source"))


def beside(run: str, agent: str, peer: str, results: Path, seed: int = 3) -> Any:
    """Play a recorded agent beside a live one."""
    models = ("--models", f"replay:{run}#{agent}", peer, "--domain", "repo_quality")
    numbers = ("--generations", "2", "--seed", str(seed), "--results", str(results))
    done = hyperspace("pair", *models, *numbers, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


@pytest.fixture(scope="module")
def other(source: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The recorded magpie beside another peer, and what was said meanwhile."""
    peer = "offline/tinker?trials=3"
    return beside(source["run"], "magpie", peer, tmp_path_factory.mktemp("other"))


def traced(run: str, agent: str) -> list[Any]:
    files = sorted(Path(run).glob(f"{agent}/gen_*/llm_calls.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def test_beside_the_same_peer_it_is_the_same_run(source: Any, tmp_path: Path) -> None:
    again, said = beside(source["run"], "tinker", "offline/magpie", tmp_path)
    assert again["digest"] == source["digest"]
    assert "diverged" not in again
    assert "not valid" not in said
    assert [agent["name"] for agent in again["agents"]] == ["tinker", "magpie"]
    assert all(event["valid"] for event in again["adoptions"])


def test_beside_another_peer_each_divergence_is_on_record(other: Any) -> None:
    again, said = other
    diverged = again["diverged"]
    assert diverged["agent"] == "magpie"
    calls = [call for call in traced(again["run"], "magpie") if call["divergence"]]
    assert len(calls) >= diverged["calls"] > 0
    assert "adoption is not valid from here on" in said
    assert all(
        event["valid"] == (event["generation"] < diverged["generation"])
        for event in again["adoptions"]
    )
    summary = json.loads((Path(again["run"]) / "summary.json").read_text())
    assert summary["diverged"] == diverged
    assert "NOT VALID from generation" in hyperspace("resume", again["run"]).stdout


def test_such_a_run_is_replayed_too(other: Any) -> None:
    done = hyperspace("replay", other[0]["run"], "--json")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        ("#nobody", "its agents: tinker, magpie"),
        ("", "RUN#AGENT"),
        ("/none#tinker", "none does not exist"),
    ],
)
def test_a_recording_that_is_not_there_is_a_usage_error(
    source: Any, tmp_path: Path, end: str, reason: str
) -> None:
    models = ("--models", f"replay:{source['run']}{end}", "offline/magpie")
    done = hyperspace("pair", *models, "--domain", "repo_quality", "--results", tmp_path)
    assert reason in failed(done, 2)


def test_its_commands_are_never_run_without_a_boundary_by_default(source: Any) -> None:
    from hyperspace.lookup.resolve import resolve

    assert not resolve(f"replay:{source['run']}#tinker").offline
