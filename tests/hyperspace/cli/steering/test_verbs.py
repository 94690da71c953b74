"""Each wish of the principal, from the command line to its effect, in a run that replays."""

import json
from pathlib import Path

import pytest

from hyperspace.kernel.generation.observing.accesses import read_accesses
from hyperspace.kernel.state.digest import digest
from tests.support.command import hyperspace
from tests.support.runs.steered import SteeredPair, read_until
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [pytest.mark.long, needs_bubblewrap]

HIDDEN = "look at \u202ethat\n{}"
READS_MESSAGES = """
import pathlib

class MetaAgent:
    def __init__(self, model, temperature=0.0):
        pass

    def forward(self, repo_path, eval_path, iterations_left=None):
        said = pathlib.Path(repo_path, "principal", "messages.jsonl")
        task = pathlib.Path(repo_path, "task_agent.py")
        if said.exists():
            task.write_text(task.read_text() + "".join(f"# {line}\\n" for line in said.open()))
"""


@pytest.fixture
def pair(tmp_path: Path) -> SteeredPair:
    return SteeredPair(tmp_path / "results")


def test_a_paused_run_waits_says_so_and_goes_on_when_it_is_let(pair: SteeredPair) -> None:
    pair.play_until("tinker:1:modify")
    pair.steer("pause")
    for _ in range(2):  # a killed one that is started again is still paused
        with pair.command() as process:
            said = read_until(process, "paused by the principal")
            assert f"hyperspace steer {pair.path} resume" in said
            shown = hyperspace("watch", pair.path, "--once")
            assert "paused by the principal" in shown.stdout
            process.kill()
    with pair.command() as process:
        read_until(process, "paused by the principal")
        pair.steer("resume")
        read_until(process, "lets the run go on")
        process.communicate(timeout=300)
    assert process.returncode == 0
    pair.assert_replays()
    pair.assert_audited()


def test_a_pause_that_ended_changes_the_digest_by_its_record_alone(
    pair: SteeredPair, tmp_path: Path
) -> None:
    undisturbed = SteeredPair(tmp_path / "other")
    undisturbed.play()
    pair.play_until("tinker:1:look")
    pair.steer("pause")
    pair.steer("resume")
    pair.play()
    assert digest(pair.path) != digest(undisturbed.path)
    assert pair.metadata("magpie", 2)["val_score"] == undisturbed.metadata("magpie", 2)["val_score"]
    again = SteeredPair(tmp_path / "again")
    again.play_until("tinker:1:look")
    again.steer("pause")
    again.steer("resume")
    again.play()
    assert digest(again.path) == digest(pair.path)


def test_a_stopped_agent_plays_no_further_and_its_best_is_tested(pair: SteeredPair) -> None:
    pair.play_until("magpie:1:report")
    pair.steer("stop-agent", "tinker")
    pair.play()
    assert [(pair.path / "tinker" / f"gen_{n}").exists() for n in range(3)] == [True, True, False]
    assert (pair.path / "magpie" / "gen_2").exists()
    assert (pair.path / "test_eval" / "tinker" / "metadata.json").exists()
    (mark,) = pair.listed()["marks"]
    assert mark["effect"] == "applied"
    assert mark["places"] == [{"agent": "tinker", "generation": 2}]
    pair.assert_replays()
    pair.assert_audited()


def test_pinned_generations_are_the_parents_until_the_pin_ends(tmp_path: Path) -> None:
    pair = SteeredPair(tmp_path / "results", generations=4)
    pair.play_until("magpie:1:report")
    pair.steer("pin", "tinker", "0")
    pair.play_until("tinker:4:look")
    pair.steer("pin", "tinker", "-")
    pair.play()
    parents = [pair.metadata("tinker", n)["parent"] for n in range(1, 5)]
    assert parents[1:3] == [0, 0]
    assert parents[3] == 3
    pair.assert_replays()


def test_what_is_said_lies_in_the_workspace_of_the_next_generation_alone(tmp_path: Path) -> None:
    initial = tmp_path / "initial"
    initial.mkdir()
    (initial / "meta_agent.py").write_text(READS_MESSAGES)
    pair = SteeredPair(tmp_path / "results", "--initial", initial)
    pair.play_until("magpie:0:report")
    pair.steer("say", "tinker", HIDDEN)
    pair.steer("say", "all", "both of you")
    pair.play()
    lines = {
        agent: [
            json.loads(line.removeprefix("# "))["text"]
            for line in (pair.path / agent / "gen_2/repo/task_agent.py").read_text().splitlines()
            if line.startswith('# {"from": "principal"')
        ]
        for agent in ("tinker", "magpie")
    }
    assert lines == {"tinker": [HIDDEN, "both of you"], "magpie": ["both of you"]}
    for generation, is_read in ((1, True), (2, False)):
        accesses = read_accesses(pair.path / "tinker" / f"gen_{generation}")
        assert accesses is not None
        reads = [each.path for each in accesses.records if each.kind == "read"]
        assert ("principal/messages.jsonl" in reads) is is_read
    pair.assert_replays()
    pair.assert_audited()


def test_a_quota_pauses_the_run_until_it_is_raised(pair: SteeredPair) -> None:
    pair.play_until("tinker:1:look")
    pair.steer("quota", "magpie", "--calls", "1")
    with pair.command() as process:
        told = read_until(process, "the quota of magpie is reached: calls 1")
        process.communicate(timeout=300)
    assert process.returncode == 1
    assert "steer RUN quota magpie" in told
    assert (pair.path / "tinker" / "gen_1").exists()
    pair.steer("quota", "magpie", "--calls", "1000")
    pair.play()
    pair.assert_replays()
    pair.assert_audited()


def test_a_run_that_nobody_steered_holds_no_trace_of_steering(pair: SteeredPair) -> None:
    pair.play()
    assert "steering" not in hyperspace("space", "stats", pair.path, "--json").stdout
    assert "steering" not in (pair.path / "run_config.json").read_text()
    listed = pair.listed()
    assert listed == {"paused": False, "marks": [], "needs": []}


def test_a_fork_joins_with_the_code_it_was_made_of_and_plays_to_the_end(tmp_path: Path) -> None:
    pair = SteeredPair(tmp_path / "results", generations=4)
    pair.play_until("magpie:1:report")
    pair.steer("fork", "magpie", "1", "--as", "wren", "--model", "offline/tinker")
    pair.play()
    assert [(pair.path / "wren" / f"gen_{n}").exists() for n in range(4)] == [True] * 3 + [False]
    code = [
        (pair.path / agent / f"gen_{n}" / "repo" / "task_agent.py").read_text()
        for agent, n in (("wren", 0), ("magpie", 1))
    ]
    assert code[0] == code[1]
    result = json.loads((pair.path / "summary.json").read_text())
    assert [agent["name"] for agent in result["agents"]] == ["tinker", "magpie", "wren"]
    shown = [each["agent"] for each in pair.metadata("tinker", 4)["shown"]]
    assert shown == ["magpie", "wren"]
    assert "wren" not in [each["agent"] for each in pair.metadata("tinker", 2)["shown"]]
    for words in (("watch", pair.path, "--once"), ("analyze", pair.path), ("resume", pair.path)):
        done = hyperspace(*words)
        assert done.returncode == 0, done.stderr
        assert "wren" in done.stdout
    pair.play()  # the command that began the run still names it
    pair.assert_replays()
    pair.assert_audited()
