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


def run_scopes(agents: Iterable[str], strategy_half_life: float = FOREVER) -> list[Scope]:
    """The scopes that a run registers; half-lives are in rounds (logical time)."""
    names = list(agents)
    classified = [f"{scope}/{name}" for scope in (CODE, GENERATIONS, VIOLATIONS) for name in names]
    return [
        *(_scope(name, ScopeVisibility.CLASSIFIED) for name in (CODE, GENERATIONS, VIOLATIONS)),
        *(_scope(name, ScopeVisibility.CLASSIFIED) for name in classified),
        _scope(STRATEGIES, ScopeVisibility.OPEN, strategy_half_life),
        *(
            _scope(f"{STRATEGIES}/{name}", ScopeVisibility.OPEN, strategy_half_life)
            for name in names
        ),
        _scope(NEEDS, ScopeVisibility.OPEN),
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


def _scope(name: str, visibility: ScopeVisibility, half_life: float = FOREVER) -> Scope:
    return Scope(
        name=name,
        visibility=visibility,
        decay=DecayConfig(
            observation_half_life=half_life, warning_half_life=FOREVER, intent_ttl=FOREVER
        ),
    )
