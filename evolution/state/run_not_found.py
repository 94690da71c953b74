"""What there is where a person looked for a run and none is."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from evolution.files import in_the_way

RECORD: Final = "run_config.json"
MOST: Final = 5
_DEEPEST: Final = 5  # results/<domain>/<experiment>/<arm>/seed<n>
_MOST_FOLDERS: Final = 2_000


def no_run(folder: Path) -> str:
    """Say that a folder holds no run, and which runs are near it."""
    if blocking := in_the_way(folder):
        return f"{folder} holds no run: {blocking} is no folder"
    if not folder.is_dir():
        return f"{folder} does not exist, so it holds no run"
    around = next((one for one in folder.resolve().parents if (one / RECORD).is_file()), None)
    if around is not None:
        return f"{folder} holds no run; it is a part of the run {around}"
    below = list(islice(runs_below(folder), MOST + 1))
    if below:
        more = " and more" if len(below) > MOST else ""
        return f"{folder} holds no run itself; below it: {', '.join(map(str, below[:MOST]))}{more}"
    return (
        f"{folder} holds no run (no {RECORD}); a run folder looks like "
        "results/<domain>/<a>_vs_<b>/seed<n>"
    )


def runs_below(folder: Path) -> Iterator[Path]:
    """Run folders below a folder, highest first; looks at so many folders and not at more."""
    for one in islice(_folders_below(folder), _MOST_FOLDERS):
        if (one / RECORD).is_file():
            yield one


def _folders_below(folder: Path) -> Iterator[Path]:
    level = [folder]
    for _ in range(_DEEPEST):
        level = [inner for one in level for inner in _inner(one)]
        yield from level
        level = [one for one in level if not (one / RECORD).is_file()]


def _inner(folder: Path) -> list[Path]:
    try:
        found = sorted(folder.iterdir())
    except OSError:  # it may not be looked at, and only a hint depends on it
        return []
    return [one for one in found if one.is_dir() and not one.is_symlink()]
