"""The search policies for any task, in real runs on a task that they know nothing of."""

import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from benchmarks.detectors.ground_truth import true_action
from hyperspace.messages import ChatRequest, Message, ToolSpec
from hyperspace.offline.catalog import POLICIES
from hyperspace.offline.planned import PlannedPolicy
from hyperspace.offline.policies.searchers import Climber, Mender, Mutator
from hyperspace.offline.registry import get
from hyperspace.tasks.registry import load
from hyperspace.workspace.seed_code import seed_files
from hyperspace.workspace.workspace import PastGeneration, TrainRows, materialize
from tests.support.runs.played import FREIGHT, Played, play
from tests.support.runs.simulation import Generation, converse, lay_out, score
from tests.support.tasks.freight import FLAWS, SEED, WORST

pytestmark = pytest.mark.long

DOMAIN = load(FREIGHT)
TOOLS = (ToolSpec("bash", "", {}), ToolSpec("editor", "", {}))


@pytest.fixture(scope="module")
def climbed(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return play(tmp_path_factory.mktemp("climbed"), "climber?trials=45", "breeder")


@pytest.fixture(scope="module")
def mutated(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return play(tmp_path_factory.mktemp("mutated"), "mutator", "mutator", generations=2)


def gain(played: Played, agent: str) -> float:
    """How far the error fell from the first generation to the best."""
    errors = [error for error in played.errors(agent) if error is not None]
    return errors[0] - min(errors)


@pytest.mark.parametrize("agent", ["climber", "breeder"])
def test_a_foreign_task_is_improved_by_climbing_and_recombination(
    climbed: Played, agent: str
) -> None:
    assert gain(climbed, agent) > 2


@pytest.mark.parametrize("agent", ["mutator", "mutator_b"])
def test_a_foreign_task_is_improved_by_mutation(mutated: Played, agent: str) -> None:
    assert gain(mutated, agent) > 1
    assert mutated.code(agent, 2) != SEED


def test_a_breeder_takes_functions_of_a_peer(tmp_path: Path) -> None:
    first = score(DOMAIN, 0, SEED)
    peer = SEED.replace('distance"] < 500', 'distance"] > 500').replace("extra -= 5", "extra += 5")
    better = peer.replace("PER_KILO = 3", "PER_KILO = 2").replace("BASE = 2", "BASE = 9")
    lay_out(tmp_path, DOMAIN, [first], [])
    _publish(tmp_path, "other_gen4", "other", 4, better, 1.0)
    converse(get("breeder", {}), tmp_path, seed=3)
    code = (tmp_path / "task_agent.py").read_text()
    assert score(DOMAIN, 1, code).val < min(first.val, score(DOMAIN, 4, better).val)
    assert "PER_KILO = 2" in code
    assert "extra += 5" in code
    assert "BASE = 2" in code


def _publish(space: Path, folder: str, agent: str, generation: int, code: str, val: float) -> None:
    target = space / "strategies" / folder
    target.mkdir(parents=True)
    (target / "task_agent.py").write_text(code)
    metadata = {"agent": agent, "generation": generation, "val_score": val, "train_score": val}
    (target / "metadata.json").write_text(json.dumps(metadata))


def test_the_direction_of_scores_is_read_from_the_reports(tmp_path: Path) -> None:
    good = score(DOMAIN, 0, SEED.replace("BASE = 2", "BASE = 1"))
    bad = score(DOMAIN, 1, SEED.replace("BASE = 2", "BASE = 90"))
    assert bad.val > good.val
    lay_out(tmp_path, DOMAIN, [good, bad], [])
    converse(Mutator(trials=0), tmp_path, seed=1)
    assert (tmp_path / "task_agent.py").read_text() == good.code


def test_a_stagnating_climber_starts_again_from_an_earlier_version(tmp_path: Path) -> None:
    first = score(DOMAIN, 0, SEED)
    worse = [replace(first, number=number, val=first.val + 0.1) for number in (1, 2, 3)]
    lay_out(tmp_path, DOMAIN, [first, *worse], [])
    said = converse(Climber(trials=0, patience=3), tmp_path, seed=1)
    assert any("cp " in call and "evals/gen_" in call for call in said.calls)


@pytest.mark.parametrize("flaw", [flaw for flaw in FLAWS if flaw])
def test_a_failed_generation_is_mended_and_keeps_its_idea(flaw: str, tmp_path: Path) -> None:
    broken = FLAWS[flaw].replace("PER_KILO = 3", "PER_KILO = 2")
    failed = PastGeneration(1, 0, False, "it failed", "mean error", None, None, {}, False, broken)
    lay_out(tmp_path, DOMAIN, [score(DOMAIN, 0, SEED)], [])
    for path, content in materialize({}, {}, TrainRows((), {}), [failed], []).items():
        if "gen_1" in path:
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_bytes(content)
    said = converse(Mender(), tmp_path, seed=1)
    code = (tmp_path / "task_agent.py").read_text()
    assert said.closing.startswith("I changed the code: mended: ")
    assert "PER_KILO = 2" in code
    assert score(DOMAIN, 2, code).val < WORST


def test_answers_that_only_speak_of_a_label_become_one(tmp_path: Path) -> None:
    domain = load("repo_quality")
    code = domain.seed_files()["task_agent.py"].decode()
    wordy = code.replace('prediction = "accept"', 'prediction = "I would accept this"')
    wordy = wordy.replace('else "reject"', 'else "Reject, sorry."')
    first = score(domain, 0, wordy)
    assert first.train == 0
    lay_out(tmp_path, domain, [first], [])
    converse(Mender(), tmp_path, seed=1)
    mended = score(domain, 1, (tmp_path / "task_agent.py").read_text())
    assert mended.train == score(domain, 0, code).train


def test_a_task_agent_that_asks_a_model_has_its_prompt_repaired(tmp_path: Path) -> None:
    domain = load("repo_quality")
    asking = Generation(0, seed_files()["task_agent.py"].decode(), 0.0, 0.0, 0.0, {})
    for name in ("mutator", "climber", "breeder", "mender"):
        space = tmp_path / name
        lay_out(space, domain, [asking], [])
        converse(get(name, {}), space, seed=1)
        assert (
            "exactly one of these labels: accept, reject" in (space / "task_agent.py").read_text()
        )


# Asked for words alone; each has tests of its own.
ANSWERERS = ("examiner", "grader", "ideator", "reviewer")


@pytest.mark.parametrize("name", [name for name in POLICIES if name not in ANSWERERS])
def test_equal_requests_give_equal_replies_and_equal_deeds(name: str, tmp_path: Path) -> None:
    lay_out(tmp_path, DOMAIN, [score(DOMAIN, 0, SEED)], [])
    question = Message("user", f"Modify any part of the code at `{tmp_path}`.")
    request = ChatRequest(f"offline/{name}", (question,), TOOLS, seed=5)
    first, other = get(name, {}), get(name, {})
    assert isinstance(first, PlannedPolicy)
    assert isinstance(other, PlannedPolicy)
    assert first.reply(request) == other.reply(request) == get(name, {}).reply(request)
    assert true_action(first, request) == true_action(other, request) is not None


def test_equal_runs_have_equal_digests(mutated: Played, tmp_path: Path) -> None:
    again = play(tmp_path, "mutator", "mutator", generations=2)
    assert again.result["digest"] == mutated.result["digest"]


def test_nothing_that_a_tool_says_makes_a_policy_raise() -> None:
    for name in POLICIES:
        messages = [Message("user", "Modify any part of the code at `/w`.")]
        for garbage in ("", "RESULT {}", 'SAME /w/evals/gen_0\n{"generation":[]}', "\ud800"):
            request = ChatRequest("m", tuple(messages), TOOLS, seed=1)
            reply = get(name, {}).reply(request)
            assert msgspec.json.encode(reply)
            messages += [Message("assistant", "", reply.tool_calls), Message("tool", garbage)]
