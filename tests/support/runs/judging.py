"""The causal rule over a whole agent and a whole trace, of what the analysis asks step by step."""

from collections.abc import Iterable, Sequence

from runs.trace import TraceLine
from transfer_experiment.adoption.causal_rule import Adoption, CausalJudge, Step
from transfer_experiment.turns.evidence import Evidence, readings


def find_adoptions(agent: str, steps: Sequence[Step]) -> list[Adoption]:
    """Judge every strategy in sight of every generation, in order."""
    judge = CausalJudge(agent)
    return [event for step in steps for event in judge.take(step)]


def reading_evidence(lines: Iterable[TraceLine], folder: str) -> tuple[Evidence, ...]:
    """Find the tool calls of a trace that read a strategy."""
    return tuple(found for line in lines for found in readings(line, folder))
