"""An arena: a fleet whose agents have roles, solvers of a task and testers who make up its cases.

Source: shared/design/levels.md, level 4.
"""

from itertools import cycle, islice
from typing import Any, Final

from msgspec import UNSET

from domains.base import Domain
from evolution.errors import RunUsageError
from evolution.launch.trust import load_domain
from evolution.state.arena.judging import MOST_PROPOSED
from evolution.state.options.fleet import (
    CASES_FILE,
    ArenaRole,
    ArenaTerms,
    FleetTerms,
    Member,
    Sharing,
)
from evolution.state.options.launch import LaunchOptions
from evolution.state.options.solo import WORKER_SCOPE
from transfer_experiment.options import ArenaOptions, FleetOptions

_SCOPES: Final[dict[ArenaRole, tuple[str, ...]]] = {
    "solver": WORKER_SCOPE.allow,
    "tester": (CASES_FILE,),
}
_SHARED: Final = LaunchOptions.__struct_fields__


def arena_fleet(options: ArenaOptions) -> FleetOptions:
    """Return the fleet that an arena is: solvers first, then testers, who are shown nothing.

    Raises:
        RunUsageError: The live suite has no room for what testers may propose in a round.
    """
    most = options.testers * MOST_PROPOSED
    if options.suite < most:
        raise RunUsageError(
            f"--suite {options.suite} has no room for what --testers {options.testers} may "
            f"propose in a round, {MOST_PROPOSED} cases each; take {most} or more, or fewer testers"
        )
    roles: list[tuple[ArenaRole, int]] = [("solver", options.solvers), ("tester", options.testers)]
    members = [
        Member(options.generations, _SCOPES[role], role=role)
        for role, count in roles
        for _ in range(count)
    ]
    terms = FleetTerms(
        members=tuple(members),
        sharing=Sharing(arm="none", show="none"),
        arena=ArenaTerms(options.replace_every, options.suite),
    )
    own: dict[str, Any] = {name: getattr(options, name) for name in _SHARED}
    own["models"] = (
        *islice(cycle(options.models), options.solvers),
        *islice(cycle(options.tester_models), options.testers),
    )
    own["names"] = tuple(f"{role}{n}" for role, count in roles for n in range(1, count + 1))
    called = f"arena_{options.solvers}x{options.testers}"
    own |= {"fleet": terms, "called": called}
    return FleetOptions(**own)


def require_round(options: FleetOptions, domain: Domain | None = None) -> None:
    """Check that a budget of calls lasts for one round of an arena.

    Raises:
        RunUsageError: It does not.
        DomainError: The domain or its data cannot be used.
    """
    calls = options.terms.calls
    if calls is UNSET or calls is None or options.fleet is None:
        return
    domain = domain or load_domain(options)
    roles = [member.role for member in options.fleet.members]
    each = 1 + min(domain.staged_items or 1, len(domain.items("train")))
    least = len(roles) + (roles.count("solver") * each if domain.calls_model else 0)
    if calls < least:
        raise RunUsageError(
            f"--max-calls {calls} is less than one round of this arena takes, which is {least} "
            "model calls or more; raise it, or take fewer agents"
        )
