"""What the offline policies of a run did and why, worked out anew from its recorded requests.

A policy is a pure function of the request, and so is its true action: the run itself records
nothing of it, and no agent, trace or wire can hold it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.detectors.player import SCENARIO, ScenarioPlayer
from hyperspace.kernel.state.config import read_record
from hyperspace.kernel.state.folder import TRACE, RunFolder
from hyperspace.messages import ChatRequest
from hyperspace.models.names import OFFLINE, parse_options, split_name
from hyperspace.offline import conversation, registry
from hyperspace.offline.plan import PlanStep, advance
from hyperspace.offline.planned import PlannedPolicy
from hyperspace.offline.tool_steps import Workspace
from hyperspace.offline.true_action import TrueAction
from hyperspace.runs.generations import generation_folders
from hyperspace.tracing.calls import request_of
from hyperspace.tracing.traces import read_trace


class ActionOfCall(NamedTuple):
    """The true action of a policy in one model call.

    Attributes:
        agent: Whose call it was.
        generation: In which generation.
        ordinal: Which of that generation's calls.
        action: What it did and why.
    """

    agent: str
    generation: int
    ordinal: int
    action: TrueAction


def ground_truth(run: Path) -> list[ActionOfCall]:
    """The true action of each call of a meta agent that is an offline policy.

    Raises:
        RecordUnreadable: It has no record of ours.
        UnknownModel: The options of a policy do not fit.
    """
    config = read_record(RunFolder(run).record).configuration
    return [
        action
        for agent, model in zip(config.agents, config.models, strict=True)
        if (policy := candid(model)) is not None
        for action in _actions(run, agent, policy)
    ]


def candid(model: str) -> PlannedPolicy | None:
    """The policy behind a model's full name, if it can tell what it does in truth.

    Behind an endpoint nobody does, whatever answers there.

    Raises:
        UnknownModel: There is no such policy, or its options do not fit.
    """
    if not model.startswith(OFFLINE) or split_name(model).url:
        return None
    name, _, options = model.removeprefix(OFFLINE).partition("?")
    if name == SCENARIO:
        return ScenarioPlayer.from_file(**parse_options(options, model))
    policy = registry.named(model)
    return policy if isinstance(policy, PlannedPolicy) else None


def true_action(policy: PlannedPolicy, request: ChatRequest) -> TrueAction | None:
    """The true action behind the reply to a request; None if it is not about code."""
    task = conversation.read(request)
    if task.code_path is None:
        return None
    outcome = advance(policy.plan(Workspace(task.code_path), task), task.results)
    said = outcome.say if isinstance(outcome, PlanStep) else outcome.words
    return outcome.action or TrueAction("work", said)


def _actions(run: Path, agent: str, policy: PlannedPolicy) -> Iterator[ActionOfCall]:
    for number, folder in generation_folders(run / agent).items():
        for call in read_trace(folder / TRACE).calls:
            if call.purpose != "modify" or call.error is not None:
                continue
            if (action := true_action(policy, request_of(call))) is not None:
                yield ActionOfCall(agent, number, call.ordinal, action)
