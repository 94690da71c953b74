"""An arena: a fleet whose agents have roles, solvers of a task and testers who make up its cases.

Source: shared/design/levels.md, level 4.
"""

from itertools import cycle, islice
from math import ceil
from typing import Any, Final

from msgspec import UNSET

from hyperspace.extensions.arena.judging import MOST_PROPOSED
from hyperspace.kernel.errors import RunUsageError
from hyperspace.launch.trust import load_domain
from hyperspace.options.fleet import (
    CASES_FILE,
    ArenaRole,
    ArenaTerms,
    FleetTerms,
    Member,
    Sharing,
)
from hyperspace.options.launch import LaunchOptions
from hyperspace.options.solo import WORKER_SCOPE
from hyperspace.tasks.base import Domain
from transfer_experiment.options import ArenaOptions, FleetOptions

ROUNDS: Final = 12
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
        arena=ArenaTerms(options.replace_every, options.suite, options.budget or UNSET),
    )
    own: dict[str, Any] = {name: getattr(options, name) for name in _SHARED}
    own["models"] = (
        *islice(cycle(options.models), options.solvers),
        *islice(cycle(options.tester_models), options.testers),
    )
    own["names"] = tuple(f"{role}{n}" for role, count in roles for n in range(1, count + 1))
    called = options.called or f"arena_{options.solvers}x{options.testers}"
    own |= {"fleet": terms, "called": called}
    return FleetOptions(**own)


def rounds_of(options: ArenaOptions) -> int:
    """Return how many rounds a budget could pay; what they are by default without one."""
    if options.budget is None:
        return ROUNDS
    return max(1, ceil(options.budget / (options.solvers + options.testers)))


def require_round(options: FleetOptions, domain: Domain | None = None) -> None:
    """Check that a budget or a limit of calls lasts for one round of an arena.

    Raises:
        RunUsageError: It does not, or a budget meets a task whose code asks models.
        DomainError: The domain or its data cannot be used.
    """
    if options.fleet is None or options.fleet.arena is UNSET:
        return
    budget, limit = options.fleet.arena.budget, options.terms.calls
    domain = domain or load_domain(options)
    if budget is not UNSET and domain.calls_model:
        raise RunUsageError(
            f"--budget {budget}calls: code for {domain.name} asks a model for each item, also "
            "where kept code is scored again, and an arena cannot end in the middle of that; use "
            "--max-calls, or a task whose code asks none"
        )
    roles = [member.role for member in options.fleet.members]
    each = 1 + min(domain.staged_items or 1, len(domain.items("train")))
    least = len(roles) + (roles.count("solver") * each if domain.calls_model else 0)
    for option, calls in ((f"--budget {budget}calls", budget), (f"--max-calls {limit}", limit)):
        if isinstance(calls, int) and calls < least:
            raise RunUsageError(
                f"{option} is less than one round of this arena takes, which is {least} model "
                "calls or more; raise it, or take fewer agents"
            )
