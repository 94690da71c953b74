"""Whatever a person points at: a table, a run, or a folder with runs anywhere below it."""

import os
from pathlib import Path

from evolution.errors import RunUsageError
from runs.scored.folders import find_runs, read_run
from runs.scored.records import Run
from runs.scored.table import read_table


def read_runs(path: Path) -> list[Run]:
    """Read every run that a path holds.

    Raises:
        RunUsageError: There is none.
    """
    if path.is_file():
        runs = read_table(path)
    elif path.is_dir():
        runs = [read_run(folder) for folder in find_runs(path)]
    else:
        what = "is neither a file nor a folder" if os.path.lexists(path) else "does not exist"
        raise RunUsageError(f"{path} {what}; name a results folder or a table of scores")
    if not runs:
        raise RunUsageError(
            f"{path} holds no run; runs are folders with a run_config.json, such as results/"
            "<domain>/<experiment>/<arm>/seed<n>, or lines of a table with arm, seed, generation "
            "and val_score"
        )
    return runs
