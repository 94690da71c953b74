"""What a run keeps in its mark space, read back.

The space is the state: code, strategies, closing manifests and violations of every generation
that exists. The form of each mark is in docs/reference/run-layout.md. `MarkWriter` writes them.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, count, takewhile
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

import msgspec

from guards.scope.edit_scope import is_plain
from hyperspace.kernel.errors import RunDamaged
from hyperspace.kernel.state.config import RunConfig
from hyperspace.kernel.state.ids import RunIds
from hyperspace.kernel.state.manifest import (
    TEST,
    Closing,
    DomainEdit,
    Incident,
    Outage,
    Repair,
    RunEnd,
    Side,
    Stop,
)
from hyperspace.kernel.state.scopes import CODE, GENERATIONS, STRATEGIES
from hyperspace.workspace.workspace import Strategy
from markspace import Action, AnyMark, Mark, MarkSpace, MarkType, Observation
from markspace.errors import StoreCorrupt

M = TypeVar("M", bound=Mark)
T = TypeVar("T")

REMEMBERED_EACH = 32  # generations of each agent: its best 5 and last 20, and a few more
STRATEGIES_EACH = 4  # its best, which all others may see, and a few before


class IncidentKind(NamedTuple):
    """How a kind of incident is named in its mark."""

    resource: str
    action: str


INCIDENT_KINDS: Mapping[type[Incident], IncidentKind] = {
    Stop: IncidentKind("stop", "pause"),
    Repair: IncidentKind("repair", "repair"),
    DomainEdit: IncidentKind("domain", "edit"),
    RunEnd: IncidentKind("end", "end"),
    Outage: IncidentKind("outage", "pause"),
}


class _Code(msgspec.Struct):
    """The content of a code mark."""

    files: dict[str, str]
    candidates: dict[Side, dict[str, str]] = {}


class RunMarks:
    """The marks of one run, for reading.

    Attributes:
        config: The run's.
        space: Where its marks are.
    """

    def __init__(self, space: MarkSpace, config: RunConfig) -> None:
        self.config = config
        self.space = space
        self._ids = RunIds(config.root_seed)
        # What is shown to an agent is much the same from one generation to the next.
        remember = lru_cache(REMEMBERED_EACH * len(config.agents))
        self._remembered_closing = remember(self._read_closing)
        self._remembered_code = remember(self._read_code)
        remember_shown = lru_cache(STRATEGIES_EACH * len(config.agents))
        self._remembered_strategy = remember_shown(self._read_strategy)

    def author(self, name: str) -> UUID:
        """Id under which an agent, or the coordinator, writes."""
        return self._ids.author(name)

    def audit_head(self) -> str:
        """Head of the space's hash-chained audit log."""
        return self.space.audit_head()

    def closings(self, agent: str) -> Iterator[Closing]:
        """Every closing of an agent, generation after generation, the final evaluation last.

        Each is read when it is asked for: all of a long run's may not fit into memory. A final
        evaluation from before the run was extended is none of them.
        """
        generations = takewhile(bool, (self._closed_as(agent, f"{n}") for n in count()))
        for marks in chain(generations, [self._closed_as(agent, self.config.final_name)]):
            yield from (decode_closing(mark, self.config.turns) for mark in marks)

    def closing(self, agent: str, generation: int | str) -> Closing:
        """The closing of one generation."""
        return self._remembered_closing(agent, generation)

    def _read_closing(self, agent: str, generation: int | str) -> Closing:
        mark = self.attested(self._closing_mark(agent, generation))
        return decode_closing(mark, self.config.turns)

    def attested(self, mark: M) -> M:
        """A mark that was read, if it is what was committed: a run is not played on rot."""
        try:
            self.space.attest(mark.id)
        except StoreCorrupt as error:
            raise RunDamaged(
                f"the run's space is damaged: {error}; put space.db back as it was, or use "
                "another --results folder"
            ) from error
        return mark

    def _closing_mark(self, agent: str, generation: int | str) -> AnyMark:
        return _only(self._closed_as(agent, closing_name(self.config, generation)))

    def _closed_as(self, agent: str, name: str) -> list[AnyMark]:
        """The closing mark of a name, if there is one."""
        return self.space.read(
            f"{GENERATIONS}/{agent}", resource=f"gen/{name}", mark_type=MarkType.ACTION
        )

    def is_closed(self, agent: str, generation: int | str) -> bool:
        """Return whether a generation exists."""
        return bool(self._closed_as(agent, closing_name(self.config, generation)))

    def has_final(self, agent: str) -> bool:
        """Return whether the agent's final evaluation is closed."""
        return self.is_closed(agent, TEST)

    @property
    def has_finals(self) -> bool:
        """Whether the final evaluation of every agent is closed."""
        return all(map(self.has_final, self.config.agents))

    def was_tested_before(self, agent: str) -> bool:
        """Return whether there was a final evaluation before the run was extended."""
        return any(self._closed_as(agent, name) for name in self.config.earlier_finals)

    def kept_file(self, digest: str) -> bytes | None:
        """Content of a file that the space keeps by its SHA-256; None if it keeps none such."""
        try:
            return self.space.store.blob(bytes.fromhex(digest))
        except StoreCorrupt:
            return None

    def code(self, agent: str, generation: int) -> dict[str, str]:
        """The code of one generation, path to text."""
        return dict(self._remembered_code(agent, generation))

    def _read_code(self, agent: str, generation: int) -> dict[str, str]:
        return self._code_mark(agent, generation).files

    def candidates(self, agent: str, generation: int) -> dict[Side, dict[str, str]]:
        """Code of both candidates of a tournament, by role; empty where there was none."""
        return dict(self._code_mark(agent, generation).candidates)

    def _code_mark(self, agent: str, generation: int) -> _Code:
        code = convert(_Code, self._observation(CODE, agent, generation).content)
        for files in (code.files, *code.candidates.values()):
            _require_plain(files)
        return code

    def strategy(self, agent: str, generation: int) -> tuple[UUID, Strategy]:
        """A published strategy and the id of its mark."""
        return self._remembered_strategy(agent, generation)

    def _read_strategy(self, agent: str, generation: int) -> tuple[UUID, Strategy]:
        mark = self._observation(STRATEGIES, agent, generation)
        return mark.id, _strategy(mark)

    def sequence_of(self, agent: str, generation: int | str) -> int:
        """Place of a closing mark in the order of writing."""
        sequence = self.space.sequence_of(self._closing_mark(agent, generation).id)
        assert sequence is not None  # noqa: S101  narrows the type: it was just read
        return sequence

    def strategy_by_id(self, mark_id: str) -> Strategy:
        """A published strategy by the id of its mark."""
        try:
            mark = self.space.get_mark(UUID(mark_id))
        except ValueError as error:
            raise RunDamaged(f"the space names a mark {mark_id!r}, which is no id") from error
        if not isinstance(mark, Observation):
            raise RunDamaged(f"the space has lost the strategy mark {mark_id}")
        return _strategy(self.attested(mark))

    def _observation(self, scope: str, agent: str, generation: int) -> Observation:
        mark = _only(
            self.space.read(
                f"{scope}/{agent}", topic=f"gen/{generation}", mark_type=MarkType.OBSERVATION
            )
        )
        assert isinstance(mark, Observation)  # noqa: S101  narrows the type
        return self.attested(mark)


def closing_name(config: RunConfig, generation: int | str) -> str:
    """Name of a generation's closing mark; a run that was extended has another final."""
    return config.final_name if generation == TEST else str(generation)


def decode_closing(mark: AnyMark, agents: Collection[str]) -> Closing:
    """Decode a closing mark.

    Args:
        mark: The mark.
        agents: The run's agents, as its record names them.

    Raises:
        RunDamaged: It is none of ours: the space of a run from elsewhere may hold anything.
    """
    assert isinstance(mark, Action)  # noqa: S101  narrows the type
    closing = convert(Closing, mark.result)
    manifest = closing.manifest
    name = mark.resource.removeprefix("gen/")
    is_final = manifest.generation == TEST and name.partition("@")[0] == TEST
    if mark.scope != f"{GENERATIONS}/{manifest.agent}" or not (
        is_final or name == f"{manifest.generation}"
    ):
        raise RunDamaged(
            f"the closing mark {mark.resource!r} in {mark.scope} is of {manifest.agent!r}, "
            f"generation {manifest.generation}; put space.db back as it was"
        )
    if manifest.agent not in agents:
        raise RunDamaged(
            f"the run's space holds generations of {manifest.agent!r}, and run_config.json names "
            f"only {', '.join(agents)}; put run_config.json back as it was"
        )
    _require_plain(closing.files)
    _require_plain(manifest.code)
    return closing


def decode_incident(mark: Action) -> Incident:
    """Decode a mark about the whole run.

    Raises:
        RunDamaged: It is none of ours.
    """
    kinds = {kind.resource: record for record, kind in INCIDENT_KINDS.items()}
    if mark.resource not in kinds:
        raise RunDamaged(f"the run's space tells of {mark.resource!r}, which no run has")
    return convert(kinds[mark.resource], mark.result)


def _strategy(mark: Observation) -> Strategy:
    strategy = convert(Strategy, mark.content)
    _require_plain([strategy.folder, *strategy.files])
    return strategy


def convert(kind: type[T], content: Any) -> T:
    """Return a record of the space in its form.

    Raises:
        RunDamaged: It has another: the space of a run from elsewhere may hold anything.
    """
    try:
        return msgspec.convert(content, kind)
    except msgspec.ValidationError as error:
        raise RunDamaged(
            f"the run's space holds no {kind.__name__} where one should be ({error}); "
            "put space.db back as it was"
        ) from error


def _only(marks: Sequence[AnyMark]) -> AnyMark:
    if len(marks) != 1:
        raise RunDamaged(
            f"the run's space holds {len(marks)} marks where one should be; "
            "put space.db back as it was"
        )
    return marks[0]


def _require_plain(paths: Iterable[str]) -> None:
    """Refuse paths that lead elsewhere: what a space names is read and written below folders."""
    for path in paths:
        if not is_plain(path):
            raise RunDamaged(f"the run's space names a file {path!r}, which is no plain path")
