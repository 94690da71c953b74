"""Writing what a run keeps in its mark space: a generation in one transaction, and incidents."""

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from uuid import UUID

import msgspec

from hyperspace.kernel.errors import RunDamaged
from hyperspace.kernel.files import canonical_json, sha256_hex, text_hashes
from hyperspace.kernel.state.config import RunConfig
from hyperspace.kernel.state.ids import RunIds
from hyperspace.kernel.state.lease import still_ours
from hyperspace.kernel.state.manifest import (
    Closing,
    Incident,
    Manifest,
    Side,
    Violation,
)
from hyperspace.kernel.state.marks import INCIDENT_KINDS, closing_name
from hyperspace.kernel.state.provenance import RECORD_RESOURCE, RecordHashes, recorded_hashes
from hyperspace.kernel.state.remote.kept_folder import KEPT_RESOURCE, KeptFolder, kept_folder
from hyperspace.kernel.state.replacements import RESOURCE, Replacement, replacements
from hyperspace.kernel.state.scopes import (
    CODE,
    COORDINATOR,
    GENERATIONS,
    NEEDS,
    STEERING,
    STRATEGIES,
    VIOLATIONS,
    agent_rights,
    coordinator_rights,
)
from hyperspace.kernel.state.steering.records import NeedContext, RaisedNeed, TakenSteering
from hyperspace.workspace.workspace import Strategy
from markspace import Action, AnyMark, Guard, MarkSpace, Need, Observation, Severity, Warning
from markspace.keeping.identity import AgentHandle
from markspace.keeping.leases import Lease, check_fence
from markspace.stores.base import Transaction

_IDENTITY = frozenset({"id", "agent_id", "created_at"})


class MarkWriter:
    """Writes the marks of one run, as its agents and as its coordinator.

    Attributes:
        lease: The coordinator's; None while nobody else can be at work.
        run_config: The file of that name in the run's folder, once it is there.
        keeps_files: Whether the space keeps what a run needs to go on in another folder.
    """

    def __init__(
        self, space: MarkSpace, config: RunConfig, ids: RunIds, *, keeps_files: bool = False
    ) -> None:
        """Enroll those who write.

        Args:
            space: Where the marks go.
            config: The run's.
            ids: Names the marks; the id factory of the space.
            keeps_files: Whether the space keeps what a run needs to go on in another folder.
        """
        self.keeps_files = keeps_files
        self.lease: Lease | None = None
        self.run_config: Path | None = None
        self._config = config
        self._space = space
        self._ids = ids
        self._guard = Guard(space)
        self._agents = {
            name: space.enroll(
                agent_rights(
                    name,
                    ids.author(name),
                    needs=config.needs,
                    cases=config.member(name).role == "tester",
                )
            )
            for name in config.agents
        }
        rights = coordinator_rights(ids.author(COORDINATOR), cases=config.arena is not None)
        self._coordinator = space.enroll(rights, system=True)

    def check_ours(self) -> None:
        """Check that the run is still ours, and where it was, before its files are touched.

        Raises:
            RunHeld: Another coordinator has taken it over.
            RunDamaged: Its folder was moved or removed.
        """
        if self.lease is not None:
            with still_ours():
                self._space.leases.confirm(self.lease)
        self._check_place()

    @contextmanager
    def told_first(self) -> Generator[None]:
        """Raise that the run's folder is gone in place of an error that it may have caused.

        Raises:
            RunDamaged: It was moved or removed.
        """
        try:
            yield
        except Exception:  # of any kind: whatever was read or written there is not there
            self._check_place()
            raise

    def _check_place(self) -> None:
        if self.run_config is not None and not self.run_config.is_file():
            raise RunDamaged(
                f"{self.run_config.parent} was moved or removed while its run was played, which "
                "ends here; put it back and run the same command again, or go on with it where it "
                "lies now: hyperspace resume FOLDER"
            )

    def publish(
        self,
        closing: Closing,
        code: Mapping[str, str],
        time: float,
        strategy: Strategy | None,
        candidates: Mapping[Side, Mapping[str, str]] | None = None,
        others: Iterable[Observation] = (),
    ) -> Closing:
        """Write a generation in one transaction: code, strategy if any, violations, closing mark.

        Args:
            closing: What was closed.
            code: Its code, path to text.
            time: Logical time, in rounds.
            strategy: What peers may see of it, if it is a new best.
            candidates: Code of both candidates of a tournament, by role; else None or empty.
            others: What else its agent observed.

        Returns:
            The closing as written, which names the other marks by content hash.
        """
        manifest = closing.manifest
        self._begin(manifest, time)
        agent = self._agents[manifest.agent]
        marks: list[tuple[AgentHandle, AnyMark]] = [
            (agent, _code_mark(manifest, code, candidates or {}))
        ]
        if strategy is not None:
            shown = Observation(
                scope=f"{STRATEGIES}/{manifest.agent}",
                topic=f"gen/{manifest.generation}",
                content=msgspec.to_builtins(strategy),
                confidence=manifest.fitness,
            )
            marks.append((agent, shown))
        marks += [(agent, other) for other in others]
        return self._write(closing, marks)

    def publish_final(self, closing: Closing, time: float) -> Closing:
        """Write the closing of the final evaluation on the sealed test split."""
        self._begin(closing.manifest, time)
        return self._write(closing, [])

    def _begin(self, manifest: Manifest, time: float) -> None:
        self._space.set_clock(time)
        self._ids.begin(manifest.agent, closing_name(self._config, manifest.generation))

    def _write(self, closing: Closing, marks: list[tuple[AgentHandle, AnyMark]]) -> Closing:
        coordinator = self._coordinator
        warnings = [_warning(closing.manifest, each) for each in closing.manifest.violations]
        written = tuple(_content_hash(mark) for mark in [*(mark for _, mark in marks), *warnings])
        manifest = msgspec.structs.replace(closing.manifest, written=written)
        closing = msgspec.structs.replace(closing, manifest=manifest)
        last = Action(
            scope=f"{GENERATIONS}/{manifest.agent}",
            resource=f"gen/{closing_name(self._config, manifest.generation)}",
            action="close",
            result=msgspec.to_builtins(closing),
            failed=False,
        )
        infrastructure = [(coordinator, mark) for mark in [*warnings, last]]
        with still_ours():
            self._guard.write_all(marks, infrastructure=infrastructure, fence=self.lease)
        return closing

    def record(self, incident: Incident) -> None:
        """Write down what happened to the whole run."""
        kind = INCIDENT_KINDS[type(incident)]
        earlier = self._space.read(VIOLATIONS, resource=kind.resource, min_strength=0.0)
        self._ids.begin(COORDINATOR, f"{kind.resource}/{len(earlier)}")
        self._write_action(VIOLATIONS, kind.resource, kind.action, incident)

    def record_replacement(self, replacement: Replacement) -> None:
        """Write down which files are no longer as they were closed, before that is done."""
        self._ids.begin(COORDINATOR, f"{RESOURCE}/{len(replacements(self._space))}")
        self._write_action(GENERATIONS, RESOURCE, "replace", replacement)

    def record_hashes(self, hashes: RecordHashes) -> None:
        """Write down what run_config.json is about to hold."""
        count = len(recorded_hashes(self._space))
        self._ids.begin(COORDINATOR, f"{RECORD_RESOURCE}/{count}")
        self._write_action(GENERATIONS, RECORD_RESOURCE, "begin", hashes)

    def keep_folder(self, kept: KeptFolder) -> None:
        """Write down what nothing else follows from, unless it is there; nothing in space.db."""
        if not self.keeps_files:
            return
        if (earlier := kept_folder(self._space)) is not None:
            kept = msgspec.structs.replace(kept, run_place=earlier.run_place).sign()
        if earlier == kept:
            return
        self._ids.begin(COORDINATOR, f"{KEPT_RESOURCE}/{sha256_hex(canonical_json(kept))}")
        self._write_action(GENERATIONS, KEPT_RESOURCE, "keep", kept)

    def keep_files(self, folder: Path, paths: Iterable[str]) -> None:
        """Keep files that cannot be made again under their hashes; nothing in space.db.

        Args:
            folder: Where they lie.
            paths: Their paths below it.

        Raises:
            RunHeld: Another coordinator has taken the run over.
        """
        for path in paths if self.keeps_files else ():
            data = (folder / path).read_bytes()
            with still_ours():
                self._space.store.write(partial(self._keep, data))

    def _keep(self, data: bytes, tx: Transaction) -> None:
        if self.lease is not None:
            check_fence(tx, self.lease)
        tx.put_blob(sha256(data).digest(), data)

    def record_look(self, look: TakenSteering) -> None:
        """Write down what takes effect of the principal's wishes, before it does."""
        self._ids.begin(COORDINATOR, f"look/{look.marks[0]}/{look.agent}")
        self._write_action(STEERING, f"look/{look.agent}/{look.generation}", "take", look)

    def record_once(self, scope: str, resource: str, action: str, record: msgspec.Struct) -> None:
        """Write a record about the whole run into a scope, unless it is there."""
        self._ids.begin(COORDINATOR, resource)
        if not self._space.read(scope, resource=resource, min_strength=0.0):
            self._write_action(scope, resource, action, record)

    def raise_need(self, agent: str, generation: int, need: RaisedNeed) -> UUID:
        """Write down what an agent asks the principal, once for each question of a generation.

        Returns:
            The id of its mark, whichever attempt at the generation asked first.
        """
        mark = Need(
            scope=NEEDS,
            question=need.question,
            context=msgspec.to_builtins(NeedContext(agent, generation)),
            blocking=need.blocking,
        )
        turn = f"{generation}/{sha256_hex(need.question.encode())}"
        self._ids.begin(agent, turn)
        name = self._ids(mark)
        if self._space.get_mark(name) is not None:
            return name
        self._ids.begin(agent, turn)
        with still_ours():
            return self._guard.write_all([(self._agents[agent], mark)], fence=self.lease)[0]

    def _write_action(self, scope: str, resource: str, action: str, record: msgspec.Struct) -> None:
        result = msgspec.to_builtins(record)
        mark = Action(scope=scope, resource=resource, action=action, result=result, failed=False)
        infrastructure = [(self._coordinator, mark)]
        with still_ours():
            self._guard.write_all([], infrastructure=infrastructure, fence=self.lease)


def _code_mark(
    manifest: Manifest, code: Mapping[str, str], candidates: Mapping[Side, Mapping[str, str]]
) -> Observation:
    scores = {split: result.score for split, result in manifest.splits.items()}
    both = {"candidates": {role: dict(texts) for role, texts in candidates.items()}}
    return Observation(
        scope=f"{CODE}/{manifest.agent}",
        topic=f"gen/{manifest.generation}",
        content={
            "manifest": text_hashes(code),
            "files": dict(code),
            "scores": scores,
            **(both if candidates else {}),
        },
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


def _content_hash(mark: AnyMark) -> str:
    content = {key: value for key, value in mark.model_dump().items() if key not in _IDENTITY}
    return sha256_hex(canonical_json(content))
