"""Wishes take effect in runs of every kind: solo arms, fleets of three, each at its own pace."""

from pathlib import Path
from typing import Any

import pytest

from hyperspace.extensions.steering.requests import (
    ask_for,
    fork,
    pause,
    pin,
    resume,
    say,
    set_quota,
    stop_agent,
)
from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.state.digest import digest
from tests.support.runs.fleet_files import THREE, fleet_file
from tests.support.runs.steered import SteeredRun, read_until
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [pytest.mark.long, needs_bubblewrap]

WISHES = (
    ("pause",),
    ("resume",),
    ("say", "third", "mind the empty rows"),
    ("pin", "magpie", "0"),
    ("quota", "tinker", "--calls", "1000"),
    ("stop-agent", "third"),
    ("fork", "tinker", "1", "--as", "wren"),
)


def fleet(folder: Path, schedule: str = "alternating", generations: int = 3) -> SteeredRun:
    head = f'generations = {generations}\nschedule = "{schedule}"'
    config = fleet_file(folder / "fleet.toml", head, *THREE)
    words = ("fleet", "--config", config, "--seeds", "5")
    return SteeredRun(folder / "results", "repo_quality/three/seed5", *words)


def solo(folder: Path, arm: str, label: str) -> SteeredRun:
    words = ("solo", "--model", "offline/tinker", "--domain", "repo_quality", "--arm", arm)
    more = ("--seed", "5", "--iterations", "3", "--no-controls")
    return SteeredRun(folder / "results", f"repo_quality/repo_quality/{label}/seed5", *words, *more)


def steered(run: SteeredRun) -> dict[str, Any]:
    """The marks on record by their verbs; each was applied, and at no agent twice."""
    marks = run.listed()["marks"]
    for mark in marks:
        assert mark["effect"] == "applied", mark
        agents = [each["agent"] for each in mark["places"]]
        assert len(set(agents)) == len(agents), mark
    return {mark["verb"]: mark for mark in marks}


@pytest.mark.parametrize(
    ("arm", "label"),
    [
        ("a", "arm_a_full"),
        ("b", "arm_b_freeze"),
        ("c", "arm_c_random"),
        ("d", "arm_d_annealing"),
        ("no_archive", "no_archive"),
        ("dgm", "dgm"),
        ("dgm_custom", "dgm_custom"),
    ],
)
def test_an_arm_of_a_solo_run_obeys(arm: str, label: str, tmp_path: Path) -> None:
    run = solo(tmp_path, arm, label)
    run.play_until("tinker:2:look")
    ask_for(run.path, pause())
    ask_for(run.path, resume())
    ask_for(run.path, say("all", "mind the empty rows"))
    ask_for(run.path, pin("tinker", 0))
    ask_for(run.path, set_quota("tinker", calls=1000))
    with pytest.raises(RunUsageError, match="a solo run has one agent"):
        ask_for(run.path, fork("tinker", 0, "wren"))
    run.play_until("tinker:3:look")
    marks = steered(run)
    assert marks["pin"]["places"] == [{"agent": "tinker", "generation": 2}]
    assert run.metadata("tinker", 2)["parent"] == 0
    ask_for(run.path, stop_agent("tinker"))
    run.play()
    assert not (run.path / "tinker" / "gen_3").exists()
    run.assert_replays()
    run.assert_audited()


def test_three_agents_in_rounds_obey_wherever_they_are_killed(tmp_path: Path) -> None:
    digests: list[str] = []
    for name, positions in (("reference", ()), ("killed", ("Notice", "magpie:2:modify"))):
        run = fleet(tmp_path / name)
        run.play_until("third:1:report")
        for words in WISHES:
            run.steer(*words)
        for position in positions:
            run.play_until(position)
        run.play()
        marks = steered(run)
        assert {each["agent"] for each in marks["pause"]["places"]} >= {"tinker", "magpie", "third"}
        assert run.metadata("magpie", 2)["parent"] == 0
        assert not (run.path / "third" / "gen_2").exists()
        assert (run.path / "wren" / "gen_1").exists()
        digests.append(digest(run.path))
    assert digests[0] == digests[1]
    run.assert_replays()
    run.assert_audited()


def test_three_agents_at_their_own_pace_obey_and_replay(tmp_path: Path) -> None:
    run = fleet(tmp_path, "concurrent", generations=4)
    run.play_until("tinker:1:report")
    run.steer("pause")
    with run.command() as process:
        read_until(process, "paused by the principal")
        run.steer("say", "all", "mind the empty rows")
        run.steer("stop-agent", "third")
        process.kill()
    with run.command() as process:
        read_until(process, "paused by the principal")
        run.steer("resume")
        process.communicate(timeout=300)
    assert process.returncode == 0
    marks = steered(run)
    assert {each["agent"] for each in marks["say"]["places"]} == {"tinker", "magpie", "third"}
    assert not (run.path / "third" / "gen_4").exists()
    assert (run.path / "magpie" / "gen_4").exists()
    run.assert_replays()
    run.assert_audited()


def test_a_spent_quota_holds_back_one_agent_at_its_own_pace_alone(tmp_path: Path) -> None:
    run = fleet(tmp_path, "concurrent", generations=2)
    run.play_until("magpie:0:report")
    run.steer("quota", "magpie", "--calls", "1")
    with run.command() as process:
        read_until(process, "magpie waits, the others go on")
        _, told = process.communicate(timeout=300)
    assert process.returncode == 1
    assert "the quota of magpie is reached: calls 1" in told
    assert [(run.path / name / "gen_2").exists() for name in ("tinker", "third")] == [True, True]
    assert not (run.path / "magpie" / "gen_1").exists()
    run.steer("quota", "magpie", "--calls", "1000")
    run.play()
    assert (run.path / "magpie" / "gen_2").exists()
    run.assert_replays()
    run.assert_audited()
