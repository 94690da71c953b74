"""What a run keeps in its mark space, written and read back.

The space is the state: code, strategies, closing manifests and violations of every generation
that exists. The form of each mark is in docs/reference/run-layout.md.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from itertools import chain, count, takewhile
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, TypeVar
from uuid import UUID

import msgspec

from agents.workspace.workspace import Strategy
from evolution.errors import RunDamaged
from evolution.files import canonical_json, sha256_hex
from evolution.state.config import RunConfig
from evolution.state.ids import RunIds
from evolution.state.lease import still_ours
from evolution.state.manifest import (
    TEST,
    Closing,
    Incident,
    Manifest,
    Repair,
    Side,
    Stop,
    Violation,
)
from evolution.state.scopes import (
    CODE,
    COORDINATOR,
    GENERATIONS,
    STRATEGIES,
    VIOLATIONS,
    agent_rights,
    coordinator_rights,
    run_scopes,
)
from markspace import (
    Action,
    AnyMark,
    Guard,
    Mark,
    MarkSpace,
    MarkType,
    Observation,
    Severity,
    Warning,
)
from markspace.errors import StoreCorrupt, StoreLocked
from markspace.keeping.identity import AgentHandle
from markspace.keeping.leases import Lease
from markspace.stores.sqlite import SQLiteStore

M = TypeVar("M", bound=Mark)
NO_CANDIDATES: Mapping[Side, Mapping[str, str]] = MappingProxyType({})

REMEMBERED_EACH = 32  # generations of each agent: its best 5 and last 20, and a few more


class RunMarks:
    """The mark space of one run.

    Attributes:
        config: The run's.
        space: Where its marks are.
        lease: The coordinator's; None while nobody works.
    """

    def __init__(self, path: Path, config: RunConfig, *, read_only: bool = False) -> None:
        self.config = config
        self._ids = RunIds(config.root_seed)
        self._store = SQLiteStore(path, read_only=read_only, synchronous="FULL")
        self.space = MarkSpace(
            run_scopes(config.agents), clock=0.0, store=self._store, id_factory=self._ids
        )
        self._guard = Guard(self.space)
        self._handles: dict[str, AgentHandle] = {}
        self.lease: Lease | None = None
        # What is shown to an agent is much the same from one generation to the next.
        remember = lru_cache(REMEMBERED_EACH * len(config.agents))
        self._remembered_closing = remember(self._read_closing)
        self._remembered_code = remember(self._read_code)
        if not read_only:
            self._enroll()

    def _enroll(self) -> None:
        for name in self.config.agents:
            rights = agent_rights(name, self._ids.author(name))
            self._handles[name] = self.space.enroll(rights)
        rights = coordinator_rights(self._ids.author(COORDINATOR))
        self._handles[COORDINATOR] = self.space.enroll(rights, system=True)

    def close(self) -> None:
        """Release the store; a finished run opens from a read-only folder afterwards."""
        self._store.close()

    def checkpoint(self) -> None:
        """Fold the write-ahead log into the one database file, if no reader stands in the way.

        Somebody who looks at a run must not make it fail; the log is whole, and whoever opens the
        space for writing next folds it.
        """
        with suppress(StoreLocked):
            self._store.checkpoint()

    def copy_to(self, path: Path) -> None:
        """Write the space as it is now into a new file (see `SQLiteStore.copy_to`)."""
        self._store.copy_to(path)

    def check_lease(self) -> None:
        """Check that the run is still ours before its files are touched.

        Raises:
            RunHeld: Another coordinator has taken it over.
        """
        if self.lease is not None:
            with still_ours():
                self.space.leases.renew(self.lease)

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
        for found in chain(generations, [self._closed_as(agent, self.config.final_name)]):
            yield from map(decode_closing, found)

    def closing(self, agent: str, generation: int | str) -> Closing:
        """The closing of one generation."""
        return self._remembered_closing(agent, generation)

    def _read_closing(self, agent: str, generation: int | str) -> Closing:
        return decode_closing(self._attested(self._closing_mark(agent, generation)))

    def _attested(self, mark: M) -> M:
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
        (mark,) = self._closed_as(agent, self._name(generation))
        return mark

    def _closed_as(self, agent: str, name: str) -> list[AnyMark]:
        """The closing mark of a name, if there is one."""
        return self.space.read(
            f"{GENERATIONS}/{agent}", resource=f"gen/{name}", mark_type=MarkType.ACTION
        )

    def is_closed(self, agent: str, generation: int | str) -> bool:
        """Whether a generation exists."""
        return bool(self._closed_as(agent, self._name(generation)))

    def has_final(self, agent: str) -> bool:
        """Whether the agent's final evaluation is closed."""
        return self.is_closed(agent, TEST)

    def was_tested_before(self, agent: str) -> bool:
        """Whether there was a final evaluation before the run was extended."""
        return any(self._closed_as(agent, name) for name in self.config.earlier_finals)

    def _name(self, generation: int | str) -> str:
        """Name of a generation's closing mark; a run that was extended has another final."""
        return self.config.final_name if generation == TEST else str(generation)

    def code(self, agent: str, generation: int) -> dict[str, str]:
        """The code of one generation, path to text."""
        return dict(self._remembered_code(agent, generation))

    def _read_code(self, agent: str, generation: int) -> dict[str, str]:
        return self._observation(CODE, agent, generation).content["files"]

    def candidates(self, agent: str, generation: int) -> dict[Side, dict[str, str]]:
        """Code of both candidates of a tournament, by role; empty where there was none."""
        return dict(self._observation(CODE, agent, generation).content.get("candidates", {}))

    def strategy(self, agent: str, generation: int) -> tuple[UUID, Strategy]:
        """A published strategy and the id of its mark."""
        mark = self._observation(STRATEGIES, agent, generation)
        return mark.id, msgspec.convert(mark.content, Strategy)

    def publish(
        self,
        closing: Closing,
        code: Mapping[str, str],
        time: float,
        strategy: Strategy | None,
        candidates: Mapping[Side, Mapping[str, str]] = NO_CANDIDATES,
    ) -> Closing:
        """Write a generation in one transaction: code, strategy if any, violations, closing mark.

        Args:
            closing: What was closed.
            code: Its code, path to text.
            time: Logical time, in rounds.
            strategy: What peers may see of it, if it is a new best.
            candidates: Code of both candidates of a tournament, by role.

        Returns:
            The closing as written, which names the other marks by content hash.
        """
        manifest = closing.manifest
        self._begin(manifest, time)
        agent = self._handles[manifest.agent]
        marks: list[tuple[AgentHandle, AnyMark]] = [(agent, _code_mark(manifest, code, candidates))]
        if strategy is not None:
            marks.append((agent, _strategy_mark(manifest, strategy)))
        return self._write(closing, marks)

    def publish_final(self, closing: Closing, time: float) -> Closing:
        """Write the closing of the final evaluation on the sealed test split."""
        self._begin(closing.manifest, time)
        return self._write(closing, [])

    def _begin(self, manifest: Manifest, time: float) -> None:
        self.space.set_clock(time)
        self._ids.begin(manifest.agent, self._name(manifest.generation))

    def _write(self, closing: Closing, marks: list[tuple[AgentHandle, AnyMark]]) -> Closing:
        coordinator = self._handles[COORDINATOR]
        warnings = [_warning(closing.manifest, found) for found in closing.manifest.violations]
        written = tuple(_content_hash(mark) for mark in [*(mark for _, mark in marks), *warnings])
        manifest = msgspec.structs.replace(closing.manifest, written=written)
        closing = msgspec.structs.replace(closing, manifest=manifest)
        last = _closing_mark(closing, f"gen/{self._name(manifest.generation)}")
        infrastructure = [(coordinator, mark) for mark in [*warnings, last]]
        with still_ours():
            self._guard.write_all(marks, infrastructure=infrastructure, fence=self.lease)
        return closing

    def record(self, incident: Incident) -> None:
        """Write down what happened to the whole run."""
        kind = _INCIDENTS[type(incident)]
        self._ids.begin(COORDINATOR, f"{kind.resource}/{self._count(kind.resource)}")
        mark = Action(
            scope=VIOLATIONS,
            resource=kind.resource,
            action=kind.action,
            result=msgspec.to_builtins(incident),
            failed=False,
        )
        infrastructure = [(self._handles[COORDINATOR], mark)]
        with still_ours():
            self._guard.write_all([], infrastructure=infrastructure, fence=self.lease)

    def _count(self, resource: str) -> int:
        return len(self.space.read(VIOLATIONS, resource=resource, min_strength=0.0))

    def sequence_of(self, agent: str, generation: int | str) -> int:
        """Place of a closing mark in the order of writing."""
        found = self.space.sequence_of(self._closing_mark(agent, generation).id)
        assert found is not None  # noqa: S101  narrows the type: it was just read
        return found

    def strategy_by_id(self, mark_id: str) -> Strategy:
        """A published strategy by the id of its mark."""
        mark = self.space.get_mark(UUID(mark_id))
        if not isinstance(mark, Observation):
            raise RunDamaged(f"the space has lost the strategy mark {mark_id}")
        return msgspec.convert(self._attested(mark).content, Strategy)

    def scope_names(self) -> list[str]:
        """Names of the registered scopes."""
        return [scope.name for scope in self.space.scopes()]

    def _observation(self, scope: str, agent: str, generation: int) -> Observation:
        (mark,) = self.space.read(
            f"{scope}/{agent}", topic=f"gen/{generation}", mark_type=MarkType.OBSERVATION
        )
        assert isinstance(mark, Observation)  # noqa: S101  narrows the type
        return self._attested(mark)


def hashes(code: Mapping[str, str]) -> dict[str, str]:
    """Path to SHA-256 of each file."""
    return {path: sha256_hex(text.encode()) for path, text in sorted(code.items())}


def _code_mark(
    manifest: Manifest, code: Mapping[str, str], candidates: Mapping[Side, Mapping[str, str]]
) -> Observation:
    scores = {split: result.score for split, result in manifest.splits.items()}
    both = {"candidates": {role: dict(one) for role, one in candidates.items()}}
    return Observation(
        scope=f"{CODE}/{manifest.agent}",
        topic=f"gen/{manifest.generation}",
        content={
            "manifest": hashes(code),
            "files": dict(code),
            "scores": scores,
            **(both if candidates else {}),
        },
        confidence=manifest.fitness,
    )


def _strategy_mark(manifest: Manifest, strategy: Strategy) -> Observation:
    return Observation(
        scope=f"{STRATEGIES}/{manifest.agent}",
        topic=f"gen/{manifest.generation}",
        content=msgspec.to_builtins(strategy),
        confidence=manifest.fitness,
    )


def _warning(manifest: Manifest, violation: Violation) -> Warning:
    return Warning(
        scope=f"{VIOLATIONS}/{manifest.agent}",
        topic=violation.topic,
        reason=f"gen/{manifest.generation}: {violation.what}: {violation.reason} "
        f"({violation.verdict})",
        severity=Severity.CAUTION,
    )


def _closing_mark(closing: Closing, place: str) -> Action:
    manifest = closing.manifest
    return Action(
        scope=f"{GENERATIONS}/{manifest.agent}",
        resource=place,
        action="close",
        result=msgspec.to_builtins(closing),
        failed=False,
    )


def _content_hash(mark: AnyMark) -> str:
    content = {key: value for key, value in mark.model_dump().items() if key not in _IDENTITY}
    return sha256_hex(canonical_json(content))


_IDENTITY = frozenset({"id", "agent_id", "created_at"})


def decode_closing(mark: AnyMark) -> Closing:
    """What a closing mark says."""
    assert isinstance(mark, Action)  # noqa: S101  narrows the type
    return msgspec.convert(mark.result, Closing)


def decode_incident(mark: Action) -> Incident:
    """What a mark about the whole run says."""
    kinds = {kind.resource: record for record, kind in _INCIDENTS.items()}
    return msgspec.convert(mark.result, kinds[mark.resource])


class _Kind(NamedTuple):
    resource: str
    action: str


_INCIDENTS: Mapping[type[Incident], _Kind] = {
    Stop: _Kind("stop", "pause"),
    Repair: _Kind("repair", "repair"),
}
