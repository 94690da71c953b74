"""The mark space of a research run: each idea is a mark of its author's, and a closing mark."""

from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import msgspec

from evolution.files import canonical_json, sha256_hex
from evolution.state.ids import RunIds
from evolution.state.lease import Heartbeat, still_ours, take_lease
from evolution.state.marks import convert
from evolution.state.scopes import COORDINATOR, VIOLATIONS, lasting_scope
from markspace import (
    Action,
    Agent,
    AnyMark,
    Guard,
    MarkSpace,
    MarkType,
    Observation,
    Scope,
    ScopeVisibility,
    Severity,
    Warning,
)
from markspace.keeping.identity import AgentHandle
from markspace.stores.places import open_store
from research.loop.records import ClosedIdea, IdeaManifest, ResearchConfig

IDEAS: Final = "ideas"
CLOSINGS: Final = "closings"
_INCONCLUSIVE: Final = 0.5


class ResearchSpace:
    """The marks of one run, for reading.

    Attributes:
        space: Where they are.
        config: The run's.
    """

    def __init__(self, space: MarkSpace, config: ResearchConfig) -> None:
        self.space = space
        self.config = config

    def closed(self) -> dict[int, ClosedIdea]:
        """Return every idea that exists, by number, in order."""
        marks = self.space.read(CLOSINGS, mark_type=MarkType.ACTION)
        ideas = [convert(ClosedIdea, mark.result) for mark in marks if isinstance(mark, Action)]
        return {idea.number: idea for idea in sorted(ideas, key=lambda idea: idea.number)}


class IdeaWriter:
    """Writes ideas, as their authors and as the coordinator."""

    def __init__(self, space: MarkSpace, config: ResearchConfig, ids: RunIds) -> None:
        self._space = space
        self._ids = ids
        self._guard = Guard(space)
        self._authors = {name: space.enroll(_author(name, ids)) for name in config.authors}
        self._coordinator = space.enroll(_coordinator(ids), system=True)
        self.heartbeat: Heartbeat | None = None

    def close(self, idea: ClosedIdea) -> None:
        """Write an idea in one transaction: its mark, a warning for each refusal, its closing.

        Raises:
            RunHeld: Another coordinator has taken the run over.
        """
        manifest = idea.manifest
        self._space.set_clock(float(manifest.epoch))
        self._ids.begin(manifest.author or COORDINATOR, manifest.number)
        marks: list[tuple[AgentHandle, AnyMark]] = []
        if manifest.author:
            marks.append((self._authors[manifest.author], _shown(idea)))
        last = Action(
            scope=CLOSINGS,
            resource=f"idea/{manifest.number}",
            action="close",
            result=msgspec.to_builtins(idea),
            failed=False,
        )
        infrastructure = [(self._coordinator, mark) for mark in [*_warnings(idea), last]]
        fence = None if self.heartbeat is None else self.heartbeat.lease
        with still_ours():
            self._guard.write_all(marks, infrastructure=infrastructure, fence=fence)


class OpenedResearch(msgspec.Struct, frozen=True):
    """A run that this process works on.

    Attributes:
        space: What is closed.
        writer: Closes ideas.
        heartbeat: Keeps the coordinator's lease.
    """

    space: ResearchSpace
    writer: IdeaWriter
    heartbeat: Heartbeat


@contextmanager
def working_in(path: Path, config: ResearchConfig) -> Generator[OpenedResearch]:
    """Become the coordinator of a run while the context lasts.

    Raises:
        RunHeld: Another coordinator works on it.
    """
    with closing(open_store(str(path), None, read_only=False, synchronous="FULL")) as store:
        ids = RunIds(config.seed)
        space = MarkSpace(_scopes(config), clock=0.0, store=store, id_factory=ids)
        writer = IdeaWriter(space, config, ids)
        heartbeat = writer.heartbeat = take_lease(space, path.parent)
        try:
            yield OpenedResearch(ResearchSpace(space, config), writer, heartbeat)
        finally:
            heartbeat.release()


@contextmanager
def reading_from(path: Path, config: ResearchConfig) -> Generator[ResearchSpace]:
    """Open a run's marks for reading only, while the context lasts."""
    with closing(open_store(str(path), None, read_only=True, synchronous="FULL")) as store:
        space = MarkSpace(_scopes(config), clock=0.0, store=store, id_factory=RunIds(config.seed))
        yield ResearchSpace(space, config)


def digest_of_ideas(manifests: Sequence[IdeaManifest]) -> str:
    """Return the digest of a run: SHA-256 over its ideas' manifests in the order of numbers."""
    ordered = sorted(manifests, key=lambda manifest: manifest.number)
    return sha256_hex(b"".join(canonical_json(manifest) + b"\n" for manifest in ordered))


def _scopes(config: ResearchConfig) -> tuple[Scope, ...]:
    opened = (IDEAS, *(f"{IDEAS}/{name}" for name in config.authors))
    sealed = (CLOSINGS, VIOLATIONS, *(f"{VIOLATIONS}/{name}" for name in config.authors))
    return (
        *(lasting_scope(name, ScopeVisibility.OPEN) for name in opened),
        *(lasting_scope(name, ScopeVisibility.CLASSIFIED) for name in sealed),
    )


def _author(name: str, ids: RunIds) -> Agent:
    rights = {f"{IDEAS}/{name}": [MarkType.OBSERVATION.value]}
    return Agent(name=name, id=ids.author(name), scopes=rights)


def _coordinator(ids: RunIds) -> Agent:
    rights = {CLOSINGS: [MarkType.ACTION.value], VIOLATIONS: [MarkType.WARNING.value]}
    return Agent(name=COORDINATOR, id=ids.author(COORDINATOR), scopes=rights)


def _shown(idea: ClosedIdea) -> Observation:
    """What others may see of an idea: words, diff and result."""
    manifest = idea.manifest
    content = {
        "text": idea.text,
        "diff": idea.diff,
        "state": manifest.state,
        "reason": idea.reason,
        "score": manifest.score,
        "parent": manifest.parent,
    }
    return Observation(
        scope=f"{IDEAS}/{manifest.author}",
        topic=f"idea/{manifest.number}",
        content=content,
        confidence=_INCONCLUSIVE if manifest.score is None else 1.0,
    )


def _warnings(idea: ClosedIdea) -> list[Warning]:
    return [
        Warning(
            scope=f"{VIOLATIONS}/{idea.manifest.author}",
            topic=each.gate,
            reason=f"idea {idea.number}: {each.why}"[:1_000],
            severity=Severity.CAUTION,
        )
        for each in idea.tries
        if each.gate in ("frozen", "links", "types")
    ]
