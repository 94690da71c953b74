"""Who works on a run at present, told from its folder alone."""

from pathlib import Path

from hyperspace.kernel.errors import RunError
from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.lease import holder_of
from hyperspace.kernel.state.opening import reading
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
