"""A peer's file taken a second time is adopted a second time; one's own version restored is not."""

import pytest

from runs.trace import ToolUse, TraceLine
from tests.support.runs.judging import find_adoptions, reading_evidence
from tests.support.runs.traced import INSTRUCTION
from transfer_experiment.adoption.causal_rule import adopted
from transfer_experiment.turns.code import SeenStrategy, TurnCode
from transfer_experiment.turns.evidence import Evidence, opens_own_past

SEED = "def rule(x):\n    limit = 1\n    return x > limit\n"
PEER = "def score(y):\n    total = sum(y)\n    return total\n\n\n" * 4
READ = (Evidence("trace", 3, "cp strategies/b_gen1/task_agent.py task_agent.py", "host-observed"),)
MORE = "def helper(z):\n    return z + 1\n" * 3


def generations_adopted(*, read_again: bool, went_back: bool) -> list[int]:
    """Adopts in generation 1, adds functions of its own in 2, and is at the peer's code in 3."""
    seen = SeenStrategy("b", "strategies/b_gen1", PEER, READ)
    unread = SeenStrategy("b", "strategies/b_gen1", PEER, ())
    steps = [
        TurnCode(0, SEED, 0.5),
        TurnCode(1, PEER, 0.8, (seen,)),
        TurnCode(2, PEER + MORE, 0.8, (unread,)),
        TurnCode(3, PEER, 0.8, (seen if read_again else unread,), went_back=went_back),
    ]
    return [event.generation for event in adopted(find_adoptions("a", steps))]


def test_taking_a_peers_file_again_is_an_adoption_again() -> None:
    assert generations_adopted(read_again=True, went_back=False) == [1, 3]


def test_restoring_an_own_version_that_came_from_a_peer_is_none() -> None:
    assert generations_adopted(read_again=True, went_back=True) == [1]
    assert generations_adopted(read_again=False, went_back=False) == [1]


def test_code_that_was_the_own_from_the_beginning_cannot_be_adopted_back() -> None:
    seen = SeenStrategy("b", "strategies/b_gen2", SEED, READ)
    steps = [TurnCode(0, SEED, 0.5), TurnCode(1, PEER, 0.8), TurnCode(2, SEED, 0.8, (seen,))]
    assert adopted(find_adoptions("a", steps)) == []


@pytest.mark.parametrize(
    ("command", "opens"),
    [
        ("cp /repo/evals/gen_3/task_agent.py /repo/task_agent.py", True),
        ("cat evals/gen_3/metadata.json", False),
        ("cp strategies/b_gen1/task_agent.py task_agent.py", False),
    ],
)
def test_opening_an_own_version_is_seen_in_the_trace(command: str, *, opens: bool) -> None:
    tool = ToolUse("1", "bash", {"command": command}, "")
    line = TraceLine("trace", 1, "modify", "m", (tool,), "", "", INSTRUCTION)
    assert opens_own_past(line) is opens


@pytest.mark.parametrize(
    "command",
    [
        "echo 'strategies/b_gen1/task_agent.py can wait'",
        "ls # not strategies/b_gen1",
        "cat >> task_agent.py <<'E'\n# better than strategies/b_gen1/task_agent.py\nE",
    ],
)
def test_speaking_of_a_strategy_is_no_reading(command: str) -> None:
    tool = ToolUse("1", "bash", {"command": command}, "")
    line = TraceLine("trace", 1, "modify", "m", (tool,), "", "")
    assert reading_evidence([line], "b_gen1") == ()
