"""Telling that a run is not finished where a command works on what there is of it."""

import sys
from pathlib import Path

from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.opening import is_finished
from hyperspace.runs.spaces.listing import printable


def tell_unfinished(run: Path) -> None:
    """Warn on standard error about a run that is not finished and may still change.

    Raises:
        RunUsageError: The folder holds no run.
    """
    if not is_finished(RunFolder(run), read_record_of(run).configuration):
        told = f"{printable(str(run), 200)} is not finished; this is what there is of it so far"
        print(f"hyperspace: {told}", file=sys.stderr)
