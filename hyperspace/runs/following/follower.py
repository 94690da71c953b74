"""Looking at a run again and again, each time at what is new.

A look opens the space, reads a page of marks at most, and closes it again: a reader that stayed
would keep the run from folding its write-ahead log into the space, and would leave a log behind.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from hyperspace.kernel.errors import RunDamaged
from hyperspace.kernel.state.config import read_record, read_record_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.lease import holder_of
from hyperspace.kernel.state.manifest import (
    TEST,
    DomainEdit,
    Incident,
    Outage,
    Repair,
    RunEnd,
    Stop,
)
from hyperspace.kernel.state.marks import RunMarks, decode_closing, decode_incident
from hyperspace.kernel.state.opening import reading
from hyperspace.kernel.state.remote.place import has_space
from hyperspace.kernel.state.scopes import GENERATIONS, NEEDS, STEERING, VIOLATIONS
from hyperspace.launch.growing_replies import GrowingReply, growing_replies
from hyperspace.runs.following.accounts import Accounts
from hyperspace.runs.following.closings import ClosingReader, Closings, MakeReader
from hyperspace.runs.following.events import (
    DomainChanged,
    EndReached,
    Event,
    LimitStruck,
    MarkWritten,
    OutageStruck,
    Repaired,
    RepliesGrowing,
    RunFound,
    State,
    StateChanged,
)
from hyperspace.runs.following.steering import steering_events
from hyperspace.runs.spaces.listing import OF_A_RUN, facts, key_of, printable, to_text
from hyperspace.runs.spaces.opening import Kept, opened
from markspace import Action, Need

PAGE: Final = 100

_IncidentEvent = LimitStruck | Repaired | DomainChanged | EndReached | OutageStruck
INCIDENT_EVENTS: Final[Mapping[type[Incident], type[_IncidentEvent]]] = {
    Stop: LimitStruck,
    Repair: Repaired,
    DomainEdit: DomainChanged,
    RunEnd: EndReached,
    Outage: OutageStruck,
}


class Look(NamedTuple):
    """The events of a look.

    Attributes:
        events: In order.
        is_behind: Whether there is more to be seen at once.
    """

    events: list[Event]
    is_behind: bool


class Follower:
    """Follows one run from its folder, from its first mark on."""

    def __init__(self, run: Path, also: MakeReader | None = None) -> None:
        """Follow a run; its folder need not be there yet.

        Args:
            run: Its folder.
            also: Makes what tells more of each closing than the generation that ended.
        """
        self._also = also
        self._folder = RunFolder(run)
        self._run: _BegunRun | None = None
        self._told: StateChanged | None = None

    def look(self) -> Look:
        """Tell what happened since the last look.

        Raises:
            RunUsageError: The folder holds a run of another version.
            RunDamaged: The ledger cannot be read, or the run or its space is gone.
            StoreError: The space cannot be read.
        """
        if self._run is None and not self._folder.record.exists():
            return Look([*self._changed("waiting")], is_behind=False)
        self._run = self._run or _BegunRun(self._folder, self._also)
        now = self._run.look()
        if self._run.is_finished:
            return Look([*now.events, *self._changed("finished")], now.is_behind)
        state = self._changed("working" if self._run.holder else "idle", self._run.holder)
        return Look([*state, *now.events], now.is_behind)

    def _changed(self, state: State, holder: str = "") -> Iterator[Event]:
        now = StateChanged(state=state, holder=holder)
        if now != self._told:
            self._told = now
            yield now


def require_run(run: Path) -> None:
    """Check that there is a run, or one that is just beginning.

    Raises:
        RunUsageError: There is none.
    """
    if not has_space(RunFolder(run)):
        read_record_of(run)


class _BegunRun:
    """A run that has begun.

    Attributes:
        holder: Who worked on it at the last look, for people; empty if nobody did.
    """

    def __init__(self, folder: RunFolder, also: MakeReader | None) -> None:
        self.holder = ""
        self._folder = folder
        self._config = config = read_record_of(folder.root).configuration
        self._was_told = False
        self._sequence = 0
        self._finals: set[str] = set()
        self._growing: tuple[GrowingReply, ...] = ()
        self._readers: list[ClosingReader] = [Closings(config.agents).read]
        if also is not None:
            self._readers.append(also(folder, config.agents))
        self._accounts = Accounts(folder, config.agents)

    @property
    def is_finished(self) -> bool:
        """True if every final evaluation was seen."""
        return len(self._finals) == len(self._config.agents)

    def look(self) -> Look:
        events = [*self._what_it_is()]
        with reading(self._folder, self._config) as marks:
            held = holder_of(marks.space)
            with marks.space.store.snapshot() as reader:
                page = reader.scan(self._sequence, PAGE)
            if page:
                self._sequence = page[-1].sequence
            for kept in opened(marks.space, page, None):
                events += self._told(marks, kept)
        budget = self._accounts.look()
        if budget is not None:
            events.append(budget)
        growing = growing_replies(self._folder.root) if held is not None else ()
        if growing != self._growing:
            self._growing = growing
            events.append(RepliesGrowing(replies=growing))
        is_behind = len(page) == PAGE or self._accounts.tail.is_behind
        holder = "" if held is None else f"{held.holder} on {held.info.get('host')}"
        self.holder = printable(holder)
        return Look(events, is_behind)

    def _what_it_is(self) -> Iterator[Event]:
        """Read its record again: a run that is extended has more generations, and another final."""
        require_still_there(self._folder)
        record = read_record(self._folder.record)
        if self._was_told and record.configuration == self._config:
            return
        config = record.configuration
        self._config, self._was_told = config, True
        self._accounts.agents = config.agents
        self._finals.clear()
        yield RunFound(
            run=str(self._folder.root),
            domain=config.domain,
            agents=config.agents,
            models=config.models,
            generations=config.generations,
            budgets=tuple(member.generations for member in config.together.members),
            seed=config.seed,
            started_utc=record.started_utc,
        )

    def _told(self, marks: RunMarks, kept: Kept) -> Iterator[Event]:
        mark, sequence = kept.mark, kept.sequence
        yield MarkWritten(
            sequence=sequence,
            mark_type=mark.mark_type.value,
            scope=mark.scope,
            key=key_of(mark),
            facts={
                name: value if isinstance(value, str | int | float | bool | None) else str(value)
                for name, value in facts(mark, OF_A_RUN)
            },
            text=to_text(kept, OF_A_RUN),
        )
        if isinstance(mark, Action) and mark.scope.startswith(f"{GENERATIONS}/"):
            closing = decode_closing(mark, self._config.agents)
            if closing.manifest.generation == TEST:
                if mark.resource != f"gen/{self._config.final_name}":
                    return  # from before the run was extended: see `RunMarks.closings`
                self._finals.add(closing.manifest.agent)
            for reader in self._readers:
                yield from reader(marks, closing, sequence)
        elif isinstance(mark, Action) and mark.scope == VIOLATIONS:
            incident = decode_incident(mark)
            kind = INCIDENT_EVENTS[type(incident)]
            yield kind(sequence=sequence, **msgspec.structs.asdict(incident))
        elif isinstance(mark, Action | Need) and mark.scope in (STEERING, NEEDS):
            yield from steering_events(marks, mark, sequence)


def require_still_there(folder: RunFolder) -> None:
    """Check that a run that was seen before has not been taken away.

    Raises:
        RunDamaged: It has.
    """
    if not folder.record.exists():
        raise RunDamaged(f"{folder.root} is gone: it was moved or removed while watched")
