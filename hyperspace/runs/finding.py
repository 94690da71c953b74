"""Whatever a person points at: a table of scores, a run, or a folder with runs below it."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from hyperspace.kernel.errors import RunUsageError
from hyperspace.runs.folders import NO_AGENTS, SEED, is_run, read_run
from hyperspace.runs.records import Run
from hyperspace.runs.research.kind import require_no_research
from hyperspace.runs.table import read_table

DEEPEST: Final = 6  # folders below the base: results/<domain>/<experiment>/<arm>/seed<n>
TABLE_NOTE: Final = "a table of scores: no code and no traces, so nothing is said of adoption"


def find_runs(
    base: Path, depth: int = DEEPEST, unreadable: list[Path] | None = None
) -> Iterator[Path]:
    """Return the run folders at or below a folder, by name and then by seed; links are none.

    Args:
        base: The folder.
        depth: How many folders are gone down.
        unreadable: Takes folders that may not be read.

    Raises:
        OSError: A folder cannot be read, and there is no list to take it.
    """
    try:
        is_one = is_run(base)
        inside = [] if is_one else sorted(filter(_may_hold_runs, base.iterdir()), key=_by_seed)
    except OSError:
        if unreadable is None:
            raise
        unreadable.append(base)
        return
    if is_one:
        yield base
    elif depth > 0:
        for folder in inside:
            yield from find_runs(folder, depth - 1, unreadable)


def _may_hold_runs(folder: Path) -> bool:
    is_inside = folder.name in NO_AGENTS or folder.name.startswith((".", "gen_"))
    return not is_inside and folder.is_dir() and not folder.is_symlink()


def _by_seed(folder: Path) -> tuple[str, int, str]:
    match = SEED.fullmatch(folder.name)
    return ("seed", int(match[1]), folder.name) if match else (folder.name, 0, "")


def read_scored(path: Path, left_out: list[str] | None = None) -> list[Run]:
    """Read every run that a path holds, with the generations whose scores can be read.

    Args:
        path: A table of scores, a run, or a folder with runs below it.
        left_out: Takes a sentence for each run of a folder that another version wrote; without it,
            such a run is refused.

    Raises:
        RunUsageError: There is none, or another version wrote the only one.
    """
    _check_there(path)
    if path.is_file():
        return read_table(path)
    runs = [_scored(run) for run in _read_each(path.resolve(), left_out, to_analyse=False)]
    if not runs:
        raise RunUsageError(_no_run(path, left_out))
    return runs


def read_scored_folder(folder: Path) -> Run:
    """Read one run, with the generations whose scores can be read.

    Raises:
        RunUsageError: Another version wrote it.
    """
    return _scored(read_run(folder))


def read_runs(base: Path, left_out: list[str] | None = None) -> Iterator[Run]:
    """Read every run that a path holds, one at a time, each agent with a name.

    Args:
        base: A table of scores, a run, or a folder with runs below it.
        left_out: Takes a sentence for each run of a folder that another version wrote, or whose
            record is damaged; without it, such a run is refused.

    Raises:
        RunUsageError: There is none, or none that can be read.
        RunDamaged: A run of ours has lost its space.
        StoreError: The space of a run of ours cannot be read.
    """
    _check_there(base)
    if base.is_file():
        for run in read_table(base):
            yield _with_names(replace(run, notes=(*run.notes, TABLE_NOTE)))
        return
    any_read = False
    for run in _read_each(base, left_out, to_analyse=True):
        if run.agents:
            any_read = True
            yield _with_names(run)
    if not any_read:
        raise RunUsageError(_no_run(base, left_out))


def _read_each(base: Path, left_out: list[str] | None, *, to_analyse: bool) -> Iterator[Run]:
    for folder in find_runs(base):
        try:
            if to_analyse:
                require_no_research(folder, "nobody adopts in one; hyperspace report compares arms")
            run = read_run(folder, need_space=to_analyse, hold_code=to_analyse)
        except RunUsageError as error:
            if left_out is None or folder == base:
                raise
            left_out.append(str(error))
        else:
            yield run


def _scored(run: Run) -> Run:
    agents = (
        replace(agent, generations=tuple(row for row in agent.generations if row.is_scored))
        for agent in run.agents
    )
    return replace(run, agents=tuple(agents))


def _check_there(path: Path) -> None:
    if not (path.is_file() or path.is_dir()):
        what = "is neither a file nor a folder" if os.path.lexists(path) else "does not exist"
        raise RunUsageError(f"{path} {what}; name a results folder, a run, or a table of scores")


def _no_run(path: Path, left_out: list[str] | None) -> str:
    if left_out:
        return left_out[0]
    return (
        f"{path} holds no run; runs are folders with a run_config.json, such as results/"
        "<domain>/<experiment>/<arm>/seed<n>, or lines of a table with arm, seed, generation "
        "and val_score"
    )


def _with_names(run: Run) -> Run:
    """Name the one agent of a run, where it has no name, after its arm; note what is not closed."""
    agents = [replace(agent, name=agent.name or run.arm) for agent in run.agents]
    agents = [replace(agent, model=agent.model or agent.name) for agent in agents]
    short = (
        f"{agent.name}: {len(agent.generations)} of {agent.planned + 1} generations are closed"
        for agent in agents
        if run.finished is not None
        and agent.planned is not None
        and len(agent.generations) <= agent.planned
    )
    return replace(run, agents=tuple(agents), notes=(*run.notes, *short))
