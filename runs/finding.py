"""Finding the runs at a path, whatever form they have."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from evolution.errors import RunUsageError
from runs.ours import is_ours, read_ours
from runs.published import is_pair, is_solo, read_pair, read_solo
from runs.records import RunRead
from runs.table import read_table

DEEPEST: Final = 6  # folders below the base: results/<domain>/<experiment>/<arm>/seed<n>
_FORMS: Final[tuple[tuple[Callable[[Path], bool], Callable[[Path], RunRead]], ...]] = (
    (is_ours, read_ours),
    (is_pair, read_pair),
    (is_solo, read_solo),
)


def read_runs(base: Path) -> Iterator[RunRead]:
    """Read a run, each run below a folder, or each run of a table of scores (.csv).

    Runs come one at a time, in the order of their paths.

    Raises:
        RunUsageError: There is no run.
        RunDamaged: A run of ours has lost its space.
    """
    if base.is_file():
        yield from read_table(base)
        return
    if not base.is_dir():
        raise RunUsageError(f"there is no {base}; give a run folder, a folder of runs or a .csv")
    any_found = False
    for path in find_runs(base):
        any_found = True
        yield read_run(path)
    if not any_found:
        raise RunUsageError(
            f"{base} holds no run; a run folder looks like results/<domain>/<a>_vs_<b>/seed<n>"
        )


def read_run(path: Path) -> RunRead:
    """Read the run in a folder.

    Raises:
        RunUsageError: There is none.
    """
    for fits, read in _FORMS:
        if fits(path):
            return read(path)
    raise RunUsageError(f"{path} holds no run")


def find_runs(base: Path, depth: int = DEEPEST) -> Iterator[Path]:
    """Find run folders, the base itself included; links are not followed."""
    if any(fits(base) for fits, _ in _FORMS):
        yield base
    elif depth > 0:
        for inner in sorted(base.iterdir()):
            if inner.is_dir() and not inner.is_symlink() and not inner.name.startswith("."):
                yield from find_runs(inner, depth - 1)
