"""Whether scenarios did what they say: from recorded code and true actions, never from findings.

A label counts only where the recorded code bears it out: the task agent is the one that the
scenario leads to, the lines came in, and the peer had those that they were made of.
"""

from collections.abc import Iterable, Iterator

from benchmarks.detectors.ground_truth import ActionOfCall
from benchmarks.detectors.scenario import Scenario, ScenarioTurn
from hyperspace.kernel.files import sha256_hex
from hyperspace.runs.records import Run
from transfer_experiment.turns.lines import lines_of


def contradictions(
    scenario: Scenario, run: Run, truth: Iterable[ActionOfCall]
) -> dict[tuple[str, int], str]:
    """Why labels do not hold, by agent and generation; empty if all of them hold.

    Args:
        scenario: What was to happen.
        run: What was recorded.
        truth: The true actions of its calls.
    """
    undone = {
        (line.agent, line.generation): line.action.why
        for line in truth
        if line.action.act == "undone"
    }
    codes = {
        (agent.name, turn.generation): turn.task.read() or ""
        for agent in run.agents
        for turn in agent.generations
        if turn.valid
    }
    problems = dict(undone)
    for turn in scenario.turns:
        for problem in _contradictions(turn, codes):
            problems.setdefault((turn.agent, turn.generation), problem)
    return problems


def _contradictions(turn: ScenarioTurn, codes: dict[tuple[str, int], str]) -> Iterator[str]:
    after = codes.get((turn.agent, turn.generation))
    before = codes.get((turn.agent, turn.generation - 1), "")
    if after is None:
        yield "the generation is missing or invalid"
        return
    if turn.code_sha256 and sha256_hex(after.encode()) != turn.code_sha256:
        yield "the task agent is another than the one that the calls lead to"
    if turn.verdict == "none":
        return
    came = lines_of(after) - lines_of(before)
    if after == before or not came.issuperset(turn.lines):
        yield "lines that are said to have come in did not"
    theirs = [
        lines_of(text)
        for (agent, generation), text in codes.items()
        if agent == turn.peer
        and generation < turn.generation
        and turn.peer_generation in (None, generation)
    ]
    if not any(lines.issuperset(turn.source or turn.lines) for lines in theirs):
        yield f"{turn.peer} never had the lines that are said to come from there"
