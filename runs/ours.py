"""Our run folders: scores, parents and what was in sight from the space, texts from the files.

The space is opened for reading only and takes no lease, so a run may be read while it goes on.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from evolution.generation.sharing import shared_files
from evolution.state.config import RunConfig, read_record
from evolution.state.folder import TRACE, RunFolder, require_space
from evolution.state.manifest import Closing
from evolution.state.marks import RunMarks
from evolution.state.opening import reading
from runs.files import HeldText, NoText, Text, TextFile, read_json
from runs.records import AgentRead, RunRead, StrategyRead, TurnRead
from runs.trace import TraceFile

TASK, META = "task_agent.py", "meta_agent.py"


class _Record(msgspec.Struct, frozen=True):
    format: int
    configuration: msgspec.Raw


def is_ours(path: Path) -> bool:
    """Whether a folder holds a run of ours that has begun, be it one that has lost its space."""
    folder = RunFolder(path)
    if not folder.record.is_file():
        return False
    return folder.space.is_file() or read_json(folder.record, _Record) is not None


def read_ours(path: Path) -> RunRead:
    """Read a run of ours, with any number of agents.

    Raises:
        RunUsageError: Another version wrote it.
        RunDamaged: It has lost its space.
        StoreError: Its space cannot be read.
    """
    folder = RunFolder(path)
    config = read_record(folder.record).configuration
    require_space(folder)
    with reading(folder, config) as marks:
        agents = tuple(
            AgentRead(name, model, read_turns(folder, marks, marks.closings(name)))
            for name, model in zip(config.agents, config.models, strict=True)
        )
    return RunRead(_name(path, config), config.seed, path, agents, _notes(config, agents))


def _name(path: Path, config: RunConfig) -> str:
    """What a run is called wherever it lies; a fleet's own name is that of its folder alone."""
    return path.resolve().parent.name if config.kind == "fleet" else config.name


def read_turns(
    folder: RunFolder, marks: RunMarks, closings: Iterable[Closing]
) -> tuple[TurnRead, ...]:
    """Read closed generations of one agent; the final evaluation is none."""
    known: dict[str, StrategyRead] = {}
    return tuple(
        read_turn(folder, marks, closing, known)
        for closing in closings
        if isinstance(closing.manifest.generation, int)
    )


def read_turn(
    folder: RunFolder, marks: RunMarks, closing: Closing, known: dict[str, StrategyRead]
) -> TurnRead:
    """Read one closed generation.

    Args:
        folder: The run's.
        marks: The open space.
        closing: Of the generation.
        known: Strategies that were looked up before, by mark id; grows.
    """
    manifest = closing.manifest
    generation = int(manifest.generation)
    place = folder.generation(manifest.agent, generation)
    for mark_id in manifest.seen:
        if mark_id not in known:
            known[mark_id] = _strategy(folder, marks, mark_id)
    return TurnRead(
        generation=generation,
        valid=manifest.valid,
        error=manifest.error,
        train=manifest.score("train"),
        val=manifest.score("val"),
        parent=manifest.parent,
        task=TextFile(place / "repo" / TASK),
        meta=TextFile(place / "repo" / META),
        seen=tuple(_in_sight(place, manifest.seen, known)),
        seen_recorded=True,
        trace=TraceFile(place / TRACE, str((place / TRACE).relative_to(folder.root))),
        diverged=closing.diverged,
    )


class _Folder(msgspec.Struct, frozen=True):
    mark: str
    folder: str
    val_score: float | None = None


class _Metadata(msgspec.Struct, frozen=True):
    shown: tuple[_Folder, ...] = ()


def _in_sight(
    place: Path, seen: Iterable[str], known: dict[str, StrategyRead]
) -> Iterator[StrategyRead]:
    """What was in sight, under the folder names and with the scores that it was shown with."""
    shown = (read_json(place / "metadata.json", _Metadata) or _Metadata()).shown
    if not shown:
        yield from (known[mark_id] for mark_id in seen)
    for one in shown:
        if one.mark in known:
            source = known[one.mark]
            yield msgspec.structs.replace(source, folder=one.folder, val=one.val_score)


def _strategy(folder: RunFolder, marks: RunMarks, mark_id: str) -> StrategyRead:
    found = marks.strategy_by_id(mark_id)
    repo = folder.generation(found.agent, found.generation) / "repo"
    shown = shared_files(found.files, marks.config.together.sharing)
    task, meta = (
        _shown(repo / name, shown.get(name), found.files.get(name)) for name in (TASK, META)
    )
    return StrategyRead(
        peer=found.agent,
        generation=found.generation,
        folder=found.folder,
        task=task,
        meta=meta,
        val=found.val_score,
    )


def _shown(path: Path, shown: str | None, whole: str | None) -> Text:
    """What was in sight of a file that a run may have shown in part, or not at all."""
    if shown is None:
        return NoText()
    return TextFile(path) if shown == whole else HeldText(shown)


def _notes(config: RunConfig, agents: tuple[AgentRead, ...]) -> tuple[str, ...]:
    wanted = {agent.name: config.member(agent.name).generations + 1 for agent in agents}
    short = [agent for agent in agents if len(agent.turns) < wanted[agent.name]]
    return tuple(
        f"{agent.name}: {len(agent.turns)} of {wanted[agent.name]} generations are closed"
        for agent in short
    )
