"""What went over, what did not, and what agents say of it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from hyperspace.runs.folders import read_run
from tests.support.runs.published_runs import META, Generation, conversation, write_run
from tests.support.runs.traced import details
from transfer_experiment.analysis import RunAnalysis, analyse

SEED = "def rule(x):\n    limit = 1\n    return x > limit\n"
PEER = "import math\n\n\ndef better(x):\n    total = math.fsum(x)\n    return total > 3.5\n"
OWN = SEED + "def helper(values):\n    return sorted(values)[0]\n"
PEER_META = META + "def plan(notes):\n    return notes[-1]\n"
LOOK = ("cat strategies/b_gen0/task_agent.py", PEER)


def analysed(
    tmp_path: Path, code: str, calls: Sequence[dict[str, Any]], meta: str = META
) -> RunAnalysis:
    """A run in which agent a makes one generation beside b, whose strategy is PEER."""
    idle = conversation(("ls", "task_agent.py"), "Done.")
    agents = {
        "a": [Generation(SEED), Generation(code, 0.6, calls, meta)],
        "b": [Generation(PEER, meta=PEER_META), Generation(PEER, 0.5, idle, PEER_META)],
    }
    return analyse(read_run(write_run(tmp_path / "a_vs_b" / "seed1", agents)))


def test_lines_of_the_peers_task_agent_are_results(tmp_path: Path) -> None:
    run = analysed(tmp_path, OWN + PEER, conversation(LOOK, "I added what b_gen0 has."))
    (transfer,) = run.findings.of("transfers")
    assert details(transfer, "kind", "basis", "lines") == ("results", "code", 3)


def test_lines_of_the_peers_meta_agent_are_methodology(tmp_path: Path) -> None:
    run = analysed(tmp_path, OWN, conversation(LOOK, "Done."), PEER_META)
    (transfer,) = run.findings.of("transfers")
    assert details(transfer, "kind", "basis", "lines") == ("methodology", "code", 2)
    assert run.findings.of("independences") == []


def test_an_idea_without_a_line_is_methodology_by_words(tmp_path: Path) -> None:
    calls = conversation(LOOK, "I took the idea of sorting from b_gen0.")
    (transfer,) = analysed(tmp_path, OWN, calls).findings.of("transfers")
    assert details(transfer, "kind", "basis") == ("methodology", "words")
    assert [item.rank for item in transfer.evidence] == ["claimed"]


def test_reading_a_peer_and_going_ones_own_way_is_informed_independence(tmp_path: Path) -> None:
    calls = conversation(LOOK, "I do not take the approach of b_gen0.")
    findings = analysed(tmp_path, OWN, calls).findings
    assert findings.of("transfers") == []
    (own_way,) = findings.of("independences")
    assert (own_way.agent, own_way.details["peer"], own_way.generation) == ("a", "b", 1)


def test_who_read_nothing_was_not_informed(tmp_path: Path) -> None:
    findings = analysed(tmp_path, OWN, conversation(("ls", "task_agent.py"), "Done.")).findings
    assert (findings.of("transfers"), findings.of("independences")) == ([], [])


@pytest.mark.parametrize(
    "words",
    ["I adopted b_gen0's approach.", "Copied b_gen0 as it is.", "- I've also ported it from b."],
)
def test_a_claimed_adoption_of_which_nothing_came_in_is_contradicted(
    tmp_path: Path, words: str
) -> None:
    run = analysed(tmp_path, SEED + "x = 1 + 2\n", conversation(LOOK, words))
    (claim,) = run.findings.of("contradictions")
    assert (claim.agent, claim.generation, claim.details["kind"]) == ("a", 1, "adoption")
    assert claim.details["fact"] == "no line of strategies/b_gen0 came in"
    assert [(item.rank, item.line) for item in claim.evidence] == [("claimed", 2)]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (OWN + PEER, "I adopted b_gen0."),
        (SEED, "I have not adopted b_gen0."),
        (SEED, "I could have copied b_gen0."),
        (SEED, "b_gen0 looks like what I adopted in my second generation from c."),
        (SEED, "I adopted a new plan."),
        (SEED, "Tomorrow b_gen0 will be better."),
    ],
)
def test_claims_that_are_so_or_say_something_else_are_left_alone(
    tmp_path: Path, code: str, words: str
) -> None:
    assert analysed(tmp_path, code, conversation(LOOK, words)).findings.of("contradictions") == []


def test_a_claimed_edit_of_a_file_that_nothing_wrote_is_contradicted(tmp_path: Path) -> None:
    run = analysed(tmp_path, SEED, conversation("I rewrote task_agent.py for speed."))
    (claim,) = run.findings.of("contradictions")
    assert details(claim, "kind", "fact") == (
        "edit",
        "task_agent.py is that of generation 0, and nothing wrote it",
    )


@pytest.mark.parametrize(
    "command", ["sed -i s/1/2/ task_agent.py", "python3 fix.py", "echo x > task_agent.py", "./go"]
)
def test_where_a_command_may_have_written_the_file_nothing_is_said(
    tmp_path: Path, command: str
) -> None:
    calls = conversation((command, ""), "I rewrote task_agent.py for speed.")
    assert analysed(tmp_path, SEED, calls).findings.of("contradictions") == []


def test_an_edit_that_was_made_is_no_contradiction(tmp_path: Path) -> None:
    run = analysed(tmp_path, OWN, conversation(LOOK, "I rewrote task_agent.py for speed."))
    assert run.findings.of("contradictions") == []
