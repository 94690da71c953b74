"""The view of a detector: one generation with its trace read, or an agent gone through."""

from typing import NamedTuple

import msgspec

from transfer_experiment.adoption.events import Adoption
from transfer_experiment.adoption.lineage import Lineages
from transfer_experiment.findings.finding import Finding
from transfer_experiment.turns.code import TurnCode
from transfer_experiment.turns.facts import TurnFacts
from transfer_experiment.turns.tool_calls import ToolCalls, TracedCall


class Turn(NamedTuple):
    """One generation of one agent, before its lines are taken into the lineages.

    Attributes:
        agent: Whose.
        generation: Its number.
        tools: The workspace and the tool calls of its meta agent.
        facts: What its trace tells beyond them.
        code: Its code, and the strategies that were in sight.
        before: The generation before; None where no code of an earlier one is there.
        previous: The last generation before whose task agent is there; None if there is none, or
            the task agent of this one is missing.
        parent: What it was forked from; `previous` where the run does not say.
        lineages: The lines that the agent's code had so far.
    """

    agent: str
    generation: int
    tools: ToolCalls
    facts: TurnFacts
    code: TurnCode
    before: TurnCode | None
    previous: TurnCode | None
    parent: TurnCode | None
    lineages: Lineages

    @property
    def calls(self) -> tuple[TracedCall, ...]:
        """The tool calls in order, with what each reached for."""
        return self.tools.calls


class AgentFindings(msgspec.Struct):
    """Everything found in one agent; grows with each generation.

    Attributes:
        published: Events by the published rule.
        causal: Events by the causal rule, whatever the verdict.
        findings: What the detectors found.
        calls: Model calls of each generation; None where that is not known.
        task_bytes: Sizes of the task agent, of each generation that has one.
        unread: Generations without a trace that can be read.
        notes: What was missing or damaged.
        has_code: Whether the code of any generation is there.
        has_traces: Whether any trace can be read.
    """

    published: list[Adoption] = []
    causal: list[Adoption] = []
    findings: list[Finding] = []
    calls: list[int | None] = []
    task_bytes: list[int] = []
    unread: list[int] = []
    notes: list[str] = []
    has_code: bool = False
    has_traces: bool = False
