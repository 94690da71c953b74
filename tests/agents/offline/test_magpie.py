import json
from dataclasses import replace
from pathlib import Path

import pytest

from agents.offline.policies.tuners import Magpie
from agents.workspace.workspace import Strategy
from domains.registry import load
from tests.support.runs.simulation import Generation, Said, answer_here, converse, lay_out, score

DOMAIN = load("repo_quality")
SEED = DOMAIN.seed_files()["task_agent.py"].decode()
BETTER = "# a peer's idea\n" + SEED.replace("3.05", "2.95")


@pytest.fixture(scope="module")
def first() -> Generation:
    return score(DOMAIN, 0, SEED, answer_here)


def peer(val: float | None, name: str = "tinker", code: str = BETTER) -> Strategy:
    return Strategy(name, f"offline/{name}", 3, val, val, {"task_agent.py": code})


def work(space: Path, past: list[Generation], *peers: Strategy) -> Said:
    lay_out(space, DOMAIN, past, peers)
    return converse(Magpie(), space, 1)


def code(space: Path) -> str:
    return (space / "task_agent.py").read_text("utf-8")


def test_it_looks_at_strategies_first(tmp_path: Path, first: Generation) -> None:
    said = work(tmp_path, [first], peer(0.9))
    assert "strategies" in json.loads(said.calls[0])["command"]


def test_a_better_peer_is_read_and_copied_as_it_is(tmp_path: Path, first: Generation) -> None:
    said = work(tmp_path, [first], peer(0.9))
    assert code(tmp_path) == BETTER
    assert [json.loads(call)["command"].split()[0] for call in said.calls[2:]] == ["cat", "cp"]
    assert "adopted" in said.closing


def test_the_best_of_several_peers_is_taken(tmp_path: Path, first: Generation) -> None:
    best = peer(0.95, "other", "# best\n" + SEED)
    work(tmp_path, [first], peer(0.9), best, peer(None, "unscored"))
    assert code(tmp_path) == best.files["task_agent.py"]


def test_a_peer_that_is_only_as_good_is_not_taken(tmp_path: Path, first: Generation) -> None:
    work(tmp_path, [first], peer(first.val))
    assert "a peer's idea" not in code(tmp_path)


def test_its_own_best_counts_and_not_its_latest(tmp_path: Path, first: Generation) -> None:
    past = [replace(first, val=0.9), replace(first, number=1, val=0.5)]
    work(tmp_path, past, peer(0.8))
    assert "a peer's idea" not in code(tmp_path)


def test_without_peers_it_tries_its_own_way(tmp_path: Path, first: Generation) -> None:
    said = work(tmp_path, [first])
    assert any("END_OF_PROGRAM" in call for call in said.calls)
    assert not any('"cp ' in call for call in said.calls)
