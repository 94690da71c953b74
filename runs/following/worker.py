"""Who works on a run at present, told from its folder alone."""

from pathlib import Path

from evolution.errors import RunError
from evolution.state.config import read_record_of
from evolution.state.folder import RunFolder
from evolution.state.lease import holder_of
from evolution.state.opening import reading
from markspace.errors import LeaseHeld, StoreError


def worker_of(run: Path) -> LeaseHeld | None:
    """Return who holds the lease of a run; None if nobody who lives does, or it cannot be read."""
    if not RunFolder(run).record.is_file():
        return None
    try:
        with reading(RunFolder(run), read_record_of(run).configuration) as marks:
            return holder_of(marks.space)
    except (RunError, StoreError, OSError):  # it is just being made, or is not ours
        return None
