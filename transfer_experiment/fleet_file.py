"""The file that describes a fleet (docs/reference/fleets.md): TOML, read strictly; and its runs.

What the file has no place for is refused, and so is what would do nothing: a term that has no
effect under the others is more likely a mistake than a wish.
"""

import math
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec

from guards.parsing import parse_toml
from guards.scope.edit_scope import matches_nothing
from guards.scope.regular_files import Unreadable, read_given
from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.scopes import COORDINATOR
from hyperspace.models.names import slug
from hyperspace.options.fleet import (
    EDITABLE,
    OF_THE_HOST,
    Arm,
    FleetTerms,
    Member,
    Schedule,
    Sharing,
    TeamMeasure,
)
from hyperspace.options.launch import Fallback
from hyperspace.tasks.naming import dedupe_names

_RUN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_AGENT_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,63}")

Count = Annotated[int, msgspec.Meta(ge=1, le=1000)]
Generations = Annotated[int, msgspec.Meta(ge=0)]


class Seat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One `[[agents]]` of the file: an agent, or several alike.

    Attributes:
        model: As people write it.
        name: The agent's name; empty names it after its model.
        count: How many instances; each is an agent of its own.
        budget: Generations after generation 0; None for the file's.
        scope: Globs of the paths that it may change.
        island: Its group, for the schedule `islands`.
    """

    model: str
    name: str = ""
    count: Count = 1
    budget: Generations | None = None
    scope: tuple[str, ...] = EDITABLE
    island: str = ""


class Islands(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`[islands]` of the file.

    Attributes:
        every: Rounds from one migration to the next.
    """

    every: Count = 5


class FleetFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A fleet as its file describes it.

    Attributes:
        name: The run's name in the results tree.
        domain: Domain name with options, or FILE.py:NAME.
        agents: Who plays.
        generations: Budget of the agents that have none of their own.
        eval_model: Model that task agents call; None means each agent's own.
        fallback: Where a parent comes from after a failure.
        schedule: Who plays when.
        sharing: What agents are shown of each other.
        islands: How their groups meet; for the schedule `islands`.
        measure: What its arms are judged by.
    """

    name: str
    domain: str
    agents: tuple[Seat, ...]
    generations: Count = 10
    eval_model: str | None = None
    fallback: Fallback = "best"
    schedule: Schedule = "alternating"
    sharing: Sharing = Sharing()
    islands: Islands | None = None
    measure: TeamMeasure = TeamMeasure()

    @property
    def seats(self) -> tuple[Seat, ...]:
        """One seat for each agent, in turn order."""
        return tuple(seat for seat in self.agents for _ in range(seat.count))

    @property
    def models(self) -> tuple[str, ...]:
        """One model for each agent, in turn order."""
        return tuple(seat.model for seat in self.seats)

    @property
    def names(self) -> tuple[str, ...]:
        """One name for each agent, in turn order."""
        return dedupe_names(seat.name or slug(seat.model) for seat in self.seats)

    @property
    def members(self) -> tuple[Member, ...]:
        """The terms of each agent, in turn order."""
        return tuple(
            Member(
                self.generations if seat.budget is None else seat.budget, seat.scope, seat.island
            )
            for seat in self.seats
        )

    @property
    def longest(self) -> int:
        """The largest budget."""
        return max(member.generations for member in self.members)

    def lasting(self, generations: int) -> "FleetFile":
        """The same fleet with another number of generations.

        Raises:
            RunUsageError: Every agent has a budget of its own, so that it would do nothing.
        """
        if all(seat.budget is not None for seat in self.agents):
            raise RunUsageError(
                f"fleet {self.name}: every agent has a budget of its own, so --generations would "
                "do nothing; change the budgets in the file"
            )
        return msgspec.structs.replace(self, generations=generations)

    def terms(self, arm: Arm) -> FleetTerms:
        """The terms of a run of this fleet, on one arm.

        Raises:
            RunUsageError: The arm does nothing under the file's other terms.
        """
        sharing = msgspec.structs.replace(self.sharing, arm=arm)
        for problem in _arm_problems(sharing):
            raise RunUsageError(f"fleet {self.name}: {problem}")
        return FleetTerms(
            members=self.members,
            schedule=self.schedule,
            migrate_every=(self.islands or Islands()).every,
            sharing=sharing,
            measure=self.measure,
        )


def read_fleet(path: Path) -> FleetFile:
    """Read a fleet's file.

    Raises:
        RunUsageError: It cannot be read, or asks for what does not exist or fit together; names
            the place.
    """
    try:
        fleet = msgspec.convert(parse_toml(read_given(path)), FleetFile)
    except Unreadable as reason:
        raise RunUsageError(f"--config {path} {reason}") from reason
    except tomllib.TOMLDecodeError as error:
        raise RunUsageError(f"{path} is no TOML: {error}") from error
    except msgspec.ValidationError as error:
        hint = "docs/reference/fleets.md has the whole form"
        raise RunUsageError(f"{path}: {error} ({hint})") from error
    for problem in _problems(fleet):
        raise RunUsageError(f"{path}: {problem}")
    return fleet


def _problems(fleet: FleetFile) -> Iterator[str]:
    """Return what does not fit together, in the order of checks."""
    if not _RUN_NAME.fullmatch(fleet.name):
        yield f"name = {fleet.name!r} is no folder name of letters, digits, '.', '_' and '-'"
    if not fleet.agents:
        yield "it has no agents; add [[agents]] with a model"
    elif not fleet.longest:
        yield "every agent's budget is 0; give one of them at least 1"
    yield from _naming_problems(fleet)
    yield from _scope_problems(fleet)
    groups = {seat.island for seat in fleet.agents}
    if fleet.schedule != "islands":
        if groups != {""} or fleet.islands is not None:
            yield f"islands do nothing with schedule = {fleet.schedule!r}; use 'islands'"
    elif "" in groups or len(groups) < 2:
        yield "schedule = 'islands' needs an island for each agent, and two or more in all"
    if fleet.sharing.k < 1:
        yield "sharing.k is less than 1"
    if len(set(fleet.sharing.what)) < len(fleet.sharing.what):
        yield "sharing.what names something twice"
    if not math.isfinite(fleet.measure.threshold or 0.0):
        yield f"measure.threshold is {fleet.measure.threshold}, which is no score"
    if (fleet.measure.name == "time_to") != (fleet.measure.threshold is not None):
        yield "measure.threshold is for name = 'time_to' alone, which needs it"
    yield from _arm_problems(fleet.sharing)


def _naming_problems(fleet: FleetFile) -> Iterator[str]:
    files = vars(RunFolder(Path())).values()
    beside = {path.name for path in files if isinstance(path, Path)}  # where agents have folders
    taken = {COORDINATOR, *beside}
    for number, seat in enumerate(fleet.agents):
        name = seat.name or slug(seat.model)
        if not _AGENT_NAME.fullmatch(name) or name in taken:
            yield (
                f"agents[{number}].name = {name!r} cannot be an agent's; "
                "use lower-case letters, digits, '.' and '-'"
            )


def _scope_problems(fleet: FleetFile) -> Iterator[str]:
    for number, seat in enumerate(fleet.agents):
        if not seat.scope:
            yield f"agents[{number}].scope is empty, so that the agent could change nothing"
        for pattern in seat.scope:
            if matches_nothing(pattern):
                yield (
                    f"agents[{number}].scope has {pattern!r}, which matches no path of a "
                    "workspace; patterns look like 'task_agent.py', '*.py' or 'tools/**'"
                )
            if pattern.startswith(OF_THE_HOST):
                yield (
                    f"agents[{number}].scope has {pattern!r}, which is the host's; "
                    f"no agent changes {', '.join(OF_THE_HOST)}"
                )


def _arm_problems(sharing: Sharing) -> Iterator[str]:
    if sharing.arm == "shuffled" and "score" not in sharing.what:
        yield "the arm 'shuffled' shuffles scores, and sharing.what shows none"
    if sharing.arm in ("shuffled", "placebo") and sharing.show == "none":
        yield f"the arm {sharing.arm!r} needs something to show, and sharing.show is 'none'"
