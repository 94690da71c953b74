"""Generations made up step by step, and the causal rule over all of an agent's."""

from collections.abc import Sequence
from typing import Literal

from hyperspace.kernel.generation.observing.accesses import Accesses, ObservedAccess
from hyperspace.runs.trace import ShownText, ToolUse, TraceLine
from transfer_experiment.adoption.causal_rule import CausalJudge
from transfer_experiment.adoption.events import Adoption
from transfer_experiment.turns.code import SeenStrategy, TurnCode
from transfer_experiment.turns.history import TurnHistory
from transfer_experiment.turns.steps import TraceSteps

Access = tuple[int, Literal["read", "listed", "written"], str, str]
"""Step, kind, path, and of what is written the text."""

FILE = "a/gen_1/llm_calls.jsonl"


def reply(command: str = "", *, shown: str = "", says: str = "", by_tool: bool = True) -> TraceLine:
    """A reply: the command that it types, and what its request shows before."""
    tools = (ToolUse("1", "bash", {"command": command}, command),) if command else ()
    texts = (ShownText(shown, by_tool),) if shown else ()
    return TraceLine(FILE, 1, "modify", "m", tools, "", says, "", texts)


def history(
    replies: Sequence[TraceLine],
    accesses: Sequence[Access] | None,
    unobserved: str = "",
    problem: str = "",
) -> TurnHistory:
    """What is on record of a generation; accesses happen in the order in which they stand."""
    steps = TraceSteps(problem, tuple(replies), len(replies), 0)
    if accesses is None:
        return TurnHistory(steps, None, "a/gen_1")
    records = tuple(
        ObservedAccess(step, path, kind, 1, number, number, _lines(text))
        for number, (step, kind, path, text) in enumerate(accesses, start=1)
    )
    return TurnHistory(steps, Accesses(records, unobserved), "a/gen_1")


def find_adoptions(agent: str, steps: Sequence[TurnCode]) -> list[Adoption]:
    """Judge every strategy in sight of every generation, in order."""
    judge = CausalJudge(agent)
    events: list[Adoption] = []
    for step in steps:
        events += judge.judge(step)
        judge.take(step)
    return events


def strategy(text: str, peer: str = "b", generation: int = 2, meta: str = "") -> SeenStrategy:
    """A strategy in sight."""
    return SeenStrategy(peer, f"strategies/{peer}_gen{generation}", text, (), meta)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))
