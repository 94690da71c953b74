"""The causal rule over a whole agent and a whole trace, of what the analysis asks step by step."""

from collections.abc import Iterable, Sequence

from runs.trace import TraceLine
from transfer_experiment.adoption.causal_rule import Adoption, CausalJudge
from transfer_experiment.turns.code import TurnCode
from transfer_experiment.turns.evidence import Evidence, readings


def find_adoptions(agent: str, steps: Sequence[TurnCode]) -> list[Adoption]:
    """Judge every strategy in sight of every generation, in order."""
    judge = CausalJudge(agent)
    events: list[Adoption] = []
    for step in steps:
        events += judge.judge(step)
        judge.take(step)
    return events


def reading_evidence(lines: Iterable[TraceLine], folder: str) -> tuple[Evidence, ...]:
    """Find the tool calls of a trace that read a strategy."""
    return tuple(item for line in lines for item in readings(line, folder))
