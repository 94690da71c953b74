"""The archive of each agent of a run: its generations with their parents and scores, no texts.

A usual run is read as every other page reads it. Of a long one of ours, archive.jsonl is enough: a
hundred thousand generations are a second there, and minutes in all their marks and files.
"""

from pathlib import Path
from typing import Final

import msgspec

from guards.parsing import decode_json
from guards.scope.regular_files import Unreadable, read_whole
from hyperspace.kernel.state.archive import ArchiveEntry
from hyperspace.kernel.state.config import Forked, read_record_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.runs.records import Run, RunAgent

LONG_BYTES: Final = 400_000  # of archive.jsonl of all agents: about 3,000 generations
MOST_BYTES: Final = 64_000_000  # of one of them


class ArchiveRow(msgspec.Struct, frozen=True):
    """One generation in an archive.

    Attributes:
        generation: Its number.
        parent: The generation whose code it started from; None for generation 0 or where it is
            not known.
        valid: Whether it may become a parent.
        train: Train score; None if it was not evaluated.
        val: Validation score; None if it was not evaluated.
        is_best: Whether it is the best of its agent, as far as is played.
    """

    generation: int
    parent: int | None
    valid: bool
    train: float | None
    val: float | None
    is_best: bool


class AgentArchive(msgspec.Struct, frozen=True):
    """The archive of one agent.

    Attributes:
        agent: Its name.
        rows: Its generations, ascending.
        notes: What cannot be read.
        forked: Whose code it began with, of an agent that joined while the run went on; None for
            the others.
    """

    agent: str
    rows: tuple[ArchiveRow, ...]
    notes: tuple[str, ...] = ()
    forked: Forked | None = None


def archives_of(run: Run) -> tuple[AgentArchive, ...]:
    """Return the archives of a run that was read."""
    return tuple(_archive(agent) for agent in run.agents)


def _archive(agent: RunAgent) -> AgentArchive:
    best = agent.best
    rows = (
        ArchiveRow(
            generation=turn.generation,
            parent=turn.origin,
            valid=turn.valid,
            train=turn.train,
            val=turn.val,
            is_best=turn is best,
        )
        for turn in agent.generations
    )
    return AgentArchive(agent.name, tuple(rows), forked=agent.forked)


def is_long(folder: Path) -> bool:
    """Return whether a run of ours has so many generations that it is not read whole."""
    if not RunFolder(folder).space.is_file():
        return False
    sizes = (path.lstat().st_size for path in folder.glob("*/archive.jsonl") if path.is_file())
    return sum(sizes) > LONG_BYTES


def read_archives(folder: Path) -> tuple[AgentArchive, ...]:
    """Read the archives of a long run of ours from archive.jsonl alone.

    Args:
        folder: The run's.

    Raises:
        RunUsageError: There is no run of ours in this folder.
    """
    config = read_record_of(folder).configuration
    return tuple(
        msgspec.structs.replace(_of_file(RunFolder(folder), agent), forked=config.fork_of(agent))
        for agent in config.agents
    )


def _of_file(folder: RunFolder, agent: str) -> AgentArchive:
    try:
        content = read_whole(folder.archive(agent), MOST_BYTES)
    except Unreadable as reason:
        return AgentArchive(agent, (), (f"archive.jsonl of {agent} {reason}",))
    entries: list[ArchiveEntry] = []
    damaged = 0
    for line in content.split(b"\n")[:-1]:  # a line that is being written has no end yet
        try:
            entries.append(decode_json(line, ArchiveEntry))
        except msgspec.MsgspecError:
            damaged += 1
    best = max((e.generation for e in entries if e.is_best), default=None)
    rows = (
        ArchiveRow(
            e.generation, e.parent, e.valid, e.train_score, e.val_score, e.generation == best
        )
        for e in entries
    )
    notes = (f"{damaged} lines of archive.jsonl of {agent} are damaged",) if damaged else ()
    return AgentArchive(agent, tuple(sorted(rows, key=lambda row: row.generation)), notes)
