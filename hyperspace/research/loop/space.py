"""The mark space of a research run: each idea is a mark of its author's, and a closing mark."""

from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import msgspec

from hyperspace.kernel.files import canonical_json, sha256_hex
from hyperspace.kernel.state.ids import RunIds
from hyperspace.kernel.state.lease import Heartbeat, still_ours, take_lease
from hyperspace.kernel.state.marks import convert
from hyperspace.kernel.state.scopes import COORDINATOR, VIOLATIONS, lasting_scope
from hyperspace.research.loop.records import ClosedIdea, HeldOut, IdeaManifest, ResearchConfig
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

IDEAS: Final = "ideas"
CLOSINGS: Final = "closings"
HELD_OUT: Final = "held_out"
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

    def held_out(self) -> HeldOut | None:
        """Return what came of the held-out evaluation; None where it was not played."""
        marks = self.space.read(HELD_OUT, mark_type=MarkType.ACTION)
        return next((convert(HeldOut, m.result) for m in marks if isinstance(m, Action)), None)

    def digest(self) -> str:
        """Return the digest of what is closed: of its ideas, and of the held-out evaluation."""
        manifests = [idea.manifest for idea in self.closed().values()]
        return digest_of_ideas(manifests, self.held_out())


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

    def close_search(self, held_out: HeldOut, epochs: int) -> None:
        """Write what came of the held-out evaluation.

        Raises:
            RunHeld: Another coordinator has taken the run over.
        """
        self._space.set_clock(float(epochs))
        self._ids.begin(COORDINATOR, HELD_OUT)
        mark = Action(
            scope=HELD_OUT,
            resource=HELD_OUT,
            action="judge",
            result=msgspec.to_builtins(held_out),
            failed=False,
        )
        fence = None if self.heartbeat is None else self.heartbeat.lease
        with still_ours():
            self._guard.write_all([], infrastructure=[(self._coordinator, mark)], fence=fence)


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


def digest_of_ideas(manifests: Sequence[IdeaManifest], held_out: HeldOut | None = None) -> str:
    """Return the digest of a run.

    It is SHA-256 over its ideas' manifests in the order of numbers, and over what came of the
    held-out evaluation where there was one.
    """
    ordered = sorted(manifests, key=lambda manifest: manifest.number)
    lines = [canonical_json(record) for record in (*ordered, *filter(None, [held_out]))]
    return sha256_hex(b"".join(line + b"\n" for line in lines))


def _scopes(config: ResearchConfig) -> tuple[Scope, ...]:
    opened = (IDEAS, *(f"{IDEAS}/{name}" for name in config.authors))
    sealed = (CLOSINGS, HELD_OUT, VIOLATIONS, *(f"{VIOLATIONS}/{name}" for name in config.authors))
    return (
        *(lasting_scope(name, ScopeVisibility.OPEN) for name in opened),
        *(lasting_scope(name, ScopeVisibility.CLASSIFIED) for name in sealed),
    )


def _author(name: str, ids: RunIds) -> Agent:
    rights = {f"{IDEAS}/{name}": [MarkType.OBSERVATION.value]}
    return Agent(name=name, id=ids.author(name), scopes=rights)


def _coordinator(ids: RunIds) -> Agent:
    action = [MarkType.ACTION.value]
    rights = {CLOSINGS: action, HELD_OUT: action, VIOLATIONS: [MarkType.WARNING.value]}
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
