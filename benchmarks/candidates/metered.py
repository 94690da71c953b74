"""Runs one `hyperspace` command and notes the CPU time of its own process.

    python -m benchmarks.candidates.metered RECORD solo --domain repo_quality ...

RECORD becomes a number of seconds, of all threads together.
"""

import atexit
import resource
import sys
from pathlib import Path

from hyperspace.cli.main import main


def own_cpu_s() -> float:
    """CPU time of this process up to now, without that of children."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def note(record: Path) -> None:
    """Write down what was used up to now."""
    record.write_text(repr(own_cpu_s()))


if __name__ == "__main__":
    atexit.register(note, Path(sys.argv[1]))  # the first one is called last: templates have ended
    sys.exit(main(sys.argv[2:]))
