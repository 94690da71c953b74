"""Error text for a path without a run, and the runs near it."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from hyperspace.kernel.files import in_the_way

RECORD: Final = "run_config.json"
RESEARCH: Final = "research.json"
MOST: Final = 5
_DEEPEST: Final = 5  # results/<domain>/<experiment>/<arm>/seed<n>
_MOST_FOLDERS: Final = 2_000


def no_run(folder: Path) -> str:
    """Error text for a folder that holds no run; names runs near it."""
    if not in_the_way(folder) and not folder.is_dir():
        return f"{folder} does not exist, so it holds no run"
    if (folder / RESEARCH).is_file():
        return (
            f"{folder} holds a research run, and this command is about agents that change their "
            "own code; watch, resume, replay, digest, report, export and dashboard take it, space "
            "verify checks its audit chain, space marks --scope violations lists what was refused"
        )
    return never_a_run(folder) or (
        f"{folder} holds no run (no {RECORD}); a run folder looks like "
        "results/<domain>/<a>_vs_<b>/seed<n>"
    )


def never_a_run(folder: Path) -> str:
    """Error text for a path at which no run can begin; empty where one can."""
    if blocking := in_the_way(folder):
        return f"{folder} holds no run: {blocking} is no folder"
    around = next(
        (parent for parent in folder.resolve().parents if (parent / RECORD).is_file()), None
    )
    if around is not None:
        return f"{folder} holds no run; it is a part of the run {around}"
    looked_at = islice(_folders_below(folder), _MOST_FOLDERS)
    below = list(islice((path for path in looked_at if (path / RECORD).is_file()), MOST + 1))
    if below:
        more = " and more" if len(below) > MOST else ""
        return f"{folder} holds no run itself; below it: {', '.join(map(str, below[:MOST]))}{more}"
    return ""


def _folders_below(folder: Path) -> Iterator[Path]:
    """Folders below a folder, highest first, as deep as runs lie, but none within a run."""
    level = [folder]
    for _ in range(_DEEPEST):
        level = [inner for above in level for inner in _inner(above)]
        yield from level
        level = [path for path in level if not (path / RECORD).is_file()]


def _inner(folder: Path) -> list[Path]:
    try:
        inside = sorted(folder.iterdir())
    except OSError:  # it may not be looked at, and only a hint depends on it
        return []
    return [path for path in inside if path.is_dir() and not path.is_symlink()]
