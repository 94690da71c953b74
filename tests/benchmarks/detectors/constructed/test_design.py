"""What is crossed with what; ways do what they say; programs that are made alike answer alike."""

import random
import re
import shutil
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from agents.runtime.agent.tools import close_all, load_tools
from benchmarks.detectors.constructed.acts import side
from benchmarks.detectors.constructed.design import scenarios
from benchmarks.detectors.constructed.readings import READINGS, PeerFile
from benchmarks.detectors.constructed.takings import COPIES, OWN, TYPING, copied, typed
from benchmarks.detectors.constructed.texts import GOOD, SEED, program, reformatted, renamed
from benchmarks.detectors.scenario import ScenarioCall, ScenarioTurn

PEER, ME = side("bob", "b"), side("ana", "a")


def all_turns() -> list[ScenarioTurn]:
    """Every turn of the development half."""
    return [turn for scenario in scenarios("development").values() for turn in scenario.turns]


def test_every_way_is_there_in_true_and_in_false_cases() -> None:
    turns = all_turns()
    true = [turn for turn in turns if turn.verdict == "adopted"]
    false = [turn for turn in turns if turn.verdict == "none"]
    assert len(READINGS) >= 16 and len(COPIES) + len(TYPING) >= 10
    for ways, value in (({*READINGS}, "reads"), ({*COPIES, *TYPING}, "takes")):
        assert ways <= {getattr(turn, value) for turn in true}
        assert ways <= {getattr(turn, value) for turn in false}


@pytest.mark.long
def test_the_halves_share_no_program_but_the_seed_and_stay_within_250_runs() -> None:
    halves = [scenarios("development"), scenarios("held-out")]
    assert sum(map(len, halves)) <= 250
    first, other = (
        {turn.code_sha256 for made in half.values() for turn in made.turns if turn.case != "seed"}
        for half in halves
    )
    assert min(len(first), len(other)) > 200
    assert not first & other
    assert scenarios("development") == halves[0]


def test_sides_share_no_line_but_those_of_what_all_started_from() -> None:
    seed = set(map(str.strip, program((), SEED).splitlines())) | {f"THRESHOLD = {GOOD}", ")"}
    texts = [
        program([*each.blocks, *each.spare]) for each in (side("a", str(n)) for n in range(99))
    ]
    lines = Counter(line for text in texts for line in set(map(str.strip, text.splitlines())))
    assert {line for line, times in lines.items() if times > 1} <= seed


def test_cases_are_both_true_and_false() -> None:
    verdicts = Counter(turn.verdict for turn in all_turns() if turn.generation > 1)
    assert min(verdicts["adopted"], verdicts["none"]) >= 100
    assert verdicts["inspired"] >= 8


def answers(text: str) -> list[str]:
    """What a task agent says to made-up items."""
    module: dict[str, Any] = {}
    exec(text, module)  # noqa: S102 - a text of our own
    rng = random.Random(1)
    features = ("maintainability", "security", "test_coverage", "documentation", "simplicity")
    agent = module["TaskAgent"]("m")
    return [agent.forward({name: rng.random() for name in features})[0] for _ in range(100)]


def test_other_names_and_another_form_are_the_same_program() -> None:
    lines = set(map(str.strip, PEER.code.splitlines()))
    for change in (renamed, reformatted):
        assert answers(change(PEER.code)) == answers(PEER.code)
        left = lines & set(map(str.strip, change(PEER.code).splitlines()))
        assert len(left) < 0.6 * len(lines)
    assert answers(program(PEER.blocks)) == answers(program(ME.blocks))


def run(calls: Iterable[ScenarioCall], folder: Path) -> str:
    """Make calls in the tools of the runtime; returns what they say."""
    tools = load_tools()
    try:
        tools["bash"].run({"command": f"cd {folder}"})
        return "\n".join(tools["bash"].run({"command": call.bash}) for call in calls)
    finally:
        close_all(tools)


def in_shell(calls: Iterable[ScenarioCall]) -> bool:
    """Whether calls are commands that leave the machine's own /tmp alone."""
    return all(call.bash and "/tmp/" not in call.bash for call in calls)


@pytest.fixture
def space(tmp_path: Path) -> Path:
    path = tmp_path / PEER.file.path
    path.parent.mkdir(parents=True)
    path.write_text(PEER.code)
    path.with_name("meta_agent.py").write_text("")
    (tmp_path / OWN).write_text(ME.code)
    return tmp_path


SHOWN = [how for how, calls in READINGS.items() if in_shell(calls(PeerFile("bob", 1)))]


@pytest.mark.long
@pytest.mark.parametrize("how", SHOWN)
def test_each_way_of_reading_shows_the_file(space: Path, how: str) -> None:
    shown = run(READINGS[how](PeerFile("bob", 1)), space)
    assert not re.search(r"\[exit code [1-9]", shown)
    assert all(block.name in shown for block in PEER.blocks)


@pytest.mark.parametrize("how", [how for how in COPIES if in_shell(copied(how, "x", "adopt"))])
def test_each_way_of_copying_makes_the_own_file_the_peers(space: Path, how: str) -> None:
    assert "[exit code 0]" in run(copied(how, PEER.file.path, "adopt"), space)
    assert (space / OWN).read_text() == PEER.code


@pytest.mark.parametrize(
    "how", [how for how in TYPING if in_shell(typed(how, "a\n", "b\n", "adopt"))]
)
def test_each_way_of_typing_writes_the_text(space: Path, how: str) -> None:
    if how == "patch text" and shutil.which("patch") is None:
        pytest.skip("patch is missing: apt-get install patch")
    assert "[exit code 0]" in run(typed(how, ME.code, PEER.code, "adopt"), space)
    assert (space / OWN).read_text() == PEER.code
