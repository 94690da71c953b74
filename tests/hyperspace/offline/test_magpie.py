import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.detectors.ground_truth import true_action
from hyperspace.messages import ChatReply, ChatRequest
from hyperspace.offline.policies.tuners import Magpie
from hyperspace.offline.true_action import TrueAction
from hyperspace.tasks.registry import load
from hyperspace.workspace.workspace import Strategy
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


def truth(
    space: Path, past: list[Generation], *peers: Strategy, policy: Magpie
) -> list[TrueAction]:
    """What magpie owns up to, call by call."""
    actions: list[TrueAction | None] = []

    class Listening(Magpie):
        def reply(self, request: ChatRequest) -> ChatReply:
            actions.append(true_action(policy, request))
            return policy.reply(request)

    lay_out(space, DOMAIN, past, peers)
    converse(Listening(), space, 1)
    return [action for action in actions if action is not None]


def constants(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"\d\.\d+", text)]


@pytest.mark.parametrize("threshold", ["2.95", "3.40"])
def test_it_owns_up_to_steps_on_the_way_to_a_peers_constants(
    tmp_path: Path, first: Generation, threshold: str
) -> None:
    mate = SEED.replace("3.05", threshold).replace("0.85", "1.10")
    still = Magpie(spread=0.0)
    done = truth(tmp_path, [first], peer(first.val, code=mate), policy=still)
    assert [action.act for action in done if action.peer] == ["approach"]
    assert any("tinker, generation 3" in a.why for a in done if a.act == "read_peer")
    [approach] = [action for action in done if action.act == "approach"]
    assert (approach.peer, approach.peer_generation) == ("tinker", 3)
    triples = zip(constants(SEED), constants(code(tmp_path)), constants(mate), strict=True)
    ways = [(math.log(new / old), math.log(other / old)) for old, new, other in triples]
    covered = sum(gone * whole for gone, whole in ways) / sum(whole**2 for _, whole in ways)
    assert approach.amount == round(100 * covered) != 0


@pytest.mark.long
def test_steps_that_no_peer_gave_a_direction_are_its_own(tmp_path: Path, first: Generation) -> None:
    same = peer(first.val, code=SEED)
    done = truth(tmp_path, [first], same, policy=Magpie())
    assert [action.act for action in done if action.act != "work"][-2:] == ["write", "finish"]
    alone = truth(tmp_path / "alone", [first], policy=Magpie())
    assert "search" in [action.act for action in alone]
