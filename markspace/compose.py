"""Composition: do agents' manifests fit together, and with their rights? Nothing is run."""

from collections.abc import Sequence
from itertools import pairwise

from markspace.core.agents import Agent, AgentManifest
from markspace.core.scopes import scope_contains


def validate_pipeline(agents: Sequence[Agent]) -> list[str]:
    """Return what is wrong between neighbours; nothing if each feeds the next."""
    problems = (pair_problem(producer, consumer) for producer, consumer in pairwise(agents))
    return [problem for problem in problems if problem]


def pair_problem(producer: Agent, consumer: Agent) -> str:
    """Return what is wrong between two agents, or an empty string."""
    for agent in (producer, consumer):
        if agent.manifest is None:
            return f"Agent {agent.name!r} has no manifest"
    if producer.manifest and consumer.manifest and feeds(producer.manifest, consumer.manifest):
        return ""
    return f"No connection from {producer.name!r} to {consumer.name!r}"


def feeds(producer: AgentManifest, consumer: AgentManifest) -> bool:
    """Return whether some output satisfies some input; topics and resources are not looked at."""
    return any(
        scope_contains(pattern.scope, scope) and pattern.mark_type in (None, mark_type)
        for scope, mark_type in producer.outputs
        for pattern in consumer.inputs
    )


def validate_manifest_permissions(agent: Agent) -> list[str]:
    """Return each declared output that the agent has no right to write."""
    if agent.manifest is None:
        return []
    return [
        f"Agent {agent.name!r} lacks write permission for {mark_type} in {scope!r}"
        for scope, mark_type in agent.manifest.outputs
        if not agent.can_write(scope, mark_type)
    ]
