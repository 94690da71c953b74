"""The scopes of a run's mark space and who may write there (docs/reference/run-layout.md)."""

from collections.abc import Iterable
from uuid import UUID

from markspace import Agent, DecayConfig, MarkType, Scope, ScopeVisibility

FOREVER = float("inf")
CODE = "code"
STRATEGIES = "strategies"
GENERATIONS = "generations"
VIOLATIONS = "violations"
NEEDS = "needs"
COORDINATOR = "coordinator"


def run_scopes(agents: Iterable[str]) -> list[Scope]:
    """The scopes that a run registers; what is in them never decays."""
    names, sealed = list(agents), (CODE, GENERATIONS, VIOLATIONS)
    sealed += tuple(f"{scope}/{name}" for scope in sealed for name in names)
    opened = (STRATEGIES, *(f"{STRATEGIES}/{name}" for name in names), NEEDS)
    decay = DecayConfig(
        observation_half_life=FOREVER, warning_half_life=FOREVER, intent_ttl=FOREVER
    )
    return [
        Scope(name=name, visibility=visibility, decay=decay)
        for visibility, scopes in (
            (ScopeVisibility.CLASSIFIED, sealed),
            (ScopeVisibility.OPEN, opened),
        )
        for name in scopes
    ]


def agent_rights(name: str, agent_id: UUID) -> Agent:
    """An agent writes its own code and strategies, and reads its own code."""
    observation = [MarkType.OBSERVATION.value]
    return Agent(
        name=name,
        id=agent_id,
        scopes={f"{CODE}/{name}": observation, f"{STRATEGIES}/{name}": observation},
        read_scopes=frozenset({f"{CODE}/{name}"}),
    )


def coordinator_rights(agent_id: UUID) -> Agent:
    """The coordinator closes generations, records violations and asks the person."""
    return Agent(
        name=COORDINATOR,
        id=agent_id,
        scopes={
            GENERATIONS: [MarkType.ACTION.value],
            VIOLATIONS: [MarkType.WARNING.value, MarkType.ACTION.value],
            NEEDS: [MarkType.NEED.value],
        },
    )
