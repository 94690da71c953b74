"""Folders of a finished run that its space does not know of: of agents, or of generations."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from hyperspace.kernel.files import written_name
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.lease import holder_of
from hyperspace.kernel.state.manifest import TEST, Closing
from hyperspace.kernel.state.marks import RunMarks


def unknown_folders(
    folder: RunFolder, marks: RunMarks, closings: Sequence[Closing]
) -> Iterator[str]:
    """Find folders that nobody closed; one line each. Hidden ones hold nothing that is read.

    Args:
        folder: Where the run lies.
        marks: Its open space; what is being played has folders before it is closed.
        closings: Its closing marks.
    """
    agents = marks.config.agents
    if not marks.has_finals or holder_of(marks.space) is not None:
        return
    tests = folder.test_eval(agents[0]).parent
    beside = {folder.start.name, folder.abandoned.name, tests.name, folder.best.name}
    beside |= {folder.kept_task.name, folder.extensions.name}
    yield from _others(folder, folder.root, beside.union(agents))
    yield from _others(folder, tests, agents)
    closed = {folder.closed(each) for each in closings if each.manifest.generation != TEST}
    for agent in agents:
        own = folder.agent(agent)
        yield from _others(folder, own, {each.name for each in closed if each.parent == own})


def _others(folder: RunFolder, inside: Path, known: Collection[str]) -> Iterator[str]:
    for path in sorted(inside.iterdir()) if inside.is_dir() else ():
        if path.is_dir() and path.name not in known and not path.name.startswith("."):
            name = written_name(str(path.relative_to(folder.root)))
            yield f"{name} is a folder that the space does not know of"
