"""A peer's file taken a second time is adopted a second time; one's own version restored is not."""

from collections.abc import Sequence

from tests.support.runs.judging import Access, find_adoptions, history, reply, strategy
from transfer_experiment.adoption.events import adopted
from transfer_experiment.turns.code import TurnCode
from transfer_experiment.turns.evidence import Evidence
from transfer_experiment.turns.history import TurnHistory

SEED = "def rule(x):\n    limit = 1\n    return x > limit\n"
PEER = "def score(y):\n    total = sum(y)\n    return total / 2\n\n\n" * 4
MORE = "def helper(z):\n    return z + 1\n" * 3
READ = (Evidence("trace", 3, "cp strategies/b_gen1/task_agent.py task_agent.py", "host-observed"),)
B = "strategies/b_gen1/task_agent.py"
OWN = "evals/gen_1/task_agent.py"


def copying(*paths: str, text: str = PEER) -> TurnHistory:
    reads: Sequence[Access] = [(1, "read", path, "") for path in paths]
    return history([reply("a command")], [*reads, (1, "written", "task_agent.py", text)])


def generations_adopted(last: TurnHistory) -> list[int]:
    """Adopts in generation 1, adds functions of its own in 2, and is at the peer's code in 3."""
    seen = strategy(PEER, "b", 1)
    read = type(seen)(seen.peer, seen.strategy, seen.text, READ)
    steps = [
        TurnCode(0, SEED, 0.5),
        TurnCode(1, PEER, 0.8, (read,), history=copying(B)),
        TurnCode(2, PEER + MORE, 0.8, (seen,), history=copying(text=MORE)),
        TurnCode(3, PEER, 0.8, (read,), history=last),
    ]
    return [event.generation for event in adopted(find_adoptions("a", steps))]


def test_taking_a_peers_file_again_is_an_adoption_again() -> None:
    assert generations_adopted(copying(B, text="")) == [1, 3]


def test_an_edit_back_to_what_was_displayed_is_one_too() -> None:
    replies = [reply(f"cat {B}"), reply("cat mine", shown=PEER), reply("edit", shown=PEER + MORE)]
    accesses: list[Access] = [(1, "read", B, ""), (3, "written", "task_agent.py", "")]
    assert generations_adopted(history(replies, accesses)) == [1, 3]


def test_restoring_an_own_version_that_came_from_a_peer_is_none() -> None:
    assert generations_adopted(copying(B, OWN, text="")) == [1]
    assert generations_adopted(copying(OWN, text="")) == [1]
    assert generations_adopted(copying(text="")) == [1]


def test_code_that_was_the_own_from_the_beginning_cannot_be_adopted_back() -> None:
    seen = strategy(SEED, "b", 1)
    steps = [
        TurnCode(0, SEED, 0.5),
        TurnCode(1, PEER, 0.8),
        TurnCode(2, SEED, 0.8, (seen,), history=copying(B, text=SEED)),
    ]
    assert adopted(find_adoptions("a", steps)) == []
