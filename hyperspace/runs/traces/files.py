"""The traces of a run by agent and generation, found by listing: nothing of the run is read."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from hyperspace.kernel.files import written_name
from hyperspace.kernel.state.folder import TRACE, RunFolder
from hyperspace.kernel.state.manifest import TEST
from hyperspace.runs.folders import NO_AGENTS
from hyperspace.runs.generations import generation_folders
from hyperspace.runs.trace import TraceFile

_MOST_DIGITS: Final = 10


class PlacedTrace(NamedTuple):
    """A trace of a run.

    Attributes:
        agent: Whose; empty where a run has one agent without a name.
        generation: Of which generation, or `test` for the final evaluation.
        folder: Where the files of that generation lie.
        trace: The trace.
        is_open: Whether the generation is still being made.
    """

    agent: str
    generation: str
    folder: Path
    trace: TraceFile
    is_open: bool = False


def agent_folders(run: Path) -> dict[str, Path]:
    """Return the folders of a run's agents by name; links are none.

    A published run of one agent without a name has its generations in its own folder.
    """
    if generation_folders(run):
        return {"": run}
    with os.scandir(run) as entries:
        folders = {
            written_name(entry.name): Path(entry.path)
            for entry in entries
            if entry.is_dir(follow_symlinks=False)
            and entry.name not in NO_AGENTS
            and not entry.name.startswith(".")
        }
    return {name: folders[name] for name in sorted(folders) if _is_agent(folders[name])}


def placed_traces(run: Path) -> Iterator[PlacedTrace]:
    """Return the traces of a run that may be there: by agent, then by generation, `test` last."""
    for agent, folder in agent_folders(run).items():
        for number, generation in generation_folders(folder).items():
            yield _placed(run, agent, str(number), generation)
        test = RunFolder(run).test_eval(agent)
        if agent and _is_inside(test):
            yield _placed(run, agent, TEST, test)


def find_trace(run: Path, agent: str, generation: str) -> PlacedTrace | None:
    """Find one trace of a run, also that of a generation that is being made; None without it.

    Args:
        run: The run's folder.
        agent: Name of the agent.
        generation: Its number, or `test`.
    """
    folder = agent_folders(run).get(agent)
    if folder is None:
        return None
    if generation == TEST:
        test = RunFolder(run).test_eval(agent)
        return _placed(run, agent, TEST, test) if agent and _is_inside(test) else None
    if not (generation.isascii() and generation.isdecimal() and len(generation) < _MOST_DIGITS):
        return None
    number = int(generation)
    closed = generation_folders(folder).get(number)
    if closed is not None:
        return _placed(run, agent, str(number), closed)
    work = RunFolder(run).work(agent, f"gen_{number}")
    if agent and _is_inside(work):
        return _placed(run, agent, str(number), work)._replace(is_open=True)
    return None


def _is_agent(folder: Path) -> bool:
    try:
        with os.scandir(folder) as entries:
            return any(entry.name.lstrip(".").startswith("gen_") for entry in entries)
    except OSError:
        return False


def _is_inside(folder: Path) -> bool:
    """Return whether a folder is there, and neither it nor the one above it is a link."""
    return folder.is_dir() and not folder.is_symlink() and not folder.parent.is_symlink()


def _placed(run: Path, agent: str, generation: str, folder: Path) -> PlacedTrace:
    path = folder / TRACE
    named = written_name(str(path.relative_to(run)))
    return PlacedTrace(agent, generation, folder, TraceFile(path, named))
