"""Whether a run is one of research; the reader of such runs is not needed to say so."""

import os
from pathlib import Path

from hyperspace.kernel.errors import RunUsageError
from hyperspace.research.loop.folder import RECORD


def is_research(folder: Path) -> bool:
    """Return whether a folder says that it holds a research run."""
    return os.path.lexists(folder / RECORD)


def require_no_research(folder: Path, instead: str) -> None:
    """Refuse a research run where only agents that change their own code are meant.

    Args:
        folder: A run's.
        instead: What there is in place of it, as the end of a sentence.

    Raises:
        RunUsageError: It holds one.
    """
    if is_research(folder):
        raise RunUsageError(f"{folder} is a research run; {instead}")
