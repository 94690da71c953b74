"""The scopes of a run's mark space and who may write there (docs/reference/run-layout.md)."""

from functools import lru_cache
from uuid import UUID

from markspace import Agent, DecayConfig, MarkType, Scope, ScopeVisibility

FOREVER = float("inf")
CODE = "code"
STRATEGIES = "strategies"
GENERATIONS = "generations"
VIOLATIONS = "violations"
NEEDS = "needs"
COORDINATOR = "coordinator"
PRINCIPAL = "_principal"  # a name that no agent has
STEERING = "steering"
CASES = "cases"


@lru_cache(maxsize=64)
def run_scopes(agents: tuple[str, ...], *, cases: bool = False) -> tuple[Scope, ...]:
    """The scopes that a run registers; what is in them never decays.

    That of steering is the principal's, who makes it with the first mark.

    Args:
        agents: Their names.
        cases: Whether they may be testers, who make up cases.
    """
    sealed = (CODE, GENERATIONS, VIOLATIONS, *((CASES,) if cases else ()))
    sealed += tuple(f"{scope}/{name}" for scope in sealed for name in agents)
    opened = (STRATEGIES, *(f"{STRATEGIES}/{name}" for name in agents), NEEDS)
    return tuple(
        lasting_scope(name, visibility)
        for visibility, scopes in (
            (ScopeVisibility.CLASSIFIED, sealed),
            (ScopeVisibility.OPEN, opened),
        )
        for name in scopes
    )


def steering_scope() -> Scope:
    """The scope of what the principal asks of a run; no agent reads it or writes there."""
    return lasting_scope(STEERING, ScopeVisibility.CLASSIFIED)


def lasting_scope(name: str, visibility: ScopeVisibility) -> Scope:
    """A scope whose marks never decay."""
    decay = DecayConfig(
        observation_half_life=FOREVER, warning_half_life=FOREVER, intent_ttl=FOREVER
    )
    return Scope(name=name, visibility=visibility, decay=decay)


def agent_rights(name: str, agent_id: UUID, *, needs: bool, cases: bool = False) -> Agent:
    """An agent writes its own code and strategies, and reads its own code.

    Args:
        name: Its name.
        agent_id: Its id.
        needs: Whether it may put questions to the principal, too.
        cases: Whether it is a tester, who writes cases of its own, too.
    """
    observation = [MarkType.OBSERVATION.value]
    made_up = {f"{CASES}/{name}": observation} if cases else {}
    questions = {NEEDS: [MarkType.NEED.value]} if needs else {}
    return Agent(
        name=name,
        id=agent_id,
        scopes={f"{CODE}/{name}": observation, f"{STRATEGIES}/{name}": observation}
        | questions
        | made_up,
        read_scopes=frozenset({f"{CODE}/{name}"}),
    )


def coordinator_rights(agent_id: UUID, *, cases: bool = False) -> Agent:
    """The coordinator closes generations, records violations, and notes what it took at looks.

    Args:
        agent_id: Its id.
        cases: Whether the run is an arena, of whose rounds it writes down what they came to.
    """
    rounds = {CASES: [MarkType.ACTION.value]} if cases else {}
    return Agent(
        name=COORDINATOR,
        id=agent_id,
        scopes={
            GENERATIONS: [MarkType.ACTION.value],
            VIOLATIONS: [MarkType.WARNING.value, MarkType.ACTION.value],
            STEERING: [MarkType.ACTION.value],
            **rounds,
        },
    )


def principal_rights(agent_id: UUID) -> Agent:
    """The person who began the run asks things of it, and answers needs."""
    action = [MarkType.ACTION.value]
    return Agent(name=PRINCIPAL, id=agent_id, scopes={STEERING: action, NEEDS: action})
