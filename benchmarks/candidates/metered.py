"""Runs one `hyperspace` command and notes the CPU time of its process and of what it waited for.

    python -m benchmarks.candidates.metered RECORD solo --domain repo_quality ...

RECORD becomes a JSON object (`Metered`). Children that a child left to others are not in it.
"""

import atexit
import resource
import sys
from pathlib import Path

import msgspec

from hyperspace.cli import main


class Metered(msgspec.Struct, frozen=True):
    """CPU time of a process, in seconds.

    Attributes:
        own_s: Its own, all threads together.
        children_s: That of the processes that it has waited for.
    """

    own_s: float
    children_s: float


def note(record: Path) -> None:
    """Write down what was used up to now."""
    own, children = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    metered = Metered(own.ru_utime + own.ru_stime, children.ru_utime + children.ru_stime)
    record.write_bytes(msgspec.json.encode(metered))


if __name__ == "__main__":
    atexit.register(note, Path(sys.argv[1]))  # the first one is called last: templates have ended
    sys.exit(main(sys.argv[2:]))
