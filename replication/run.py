"""The published entry point: `python -m replication.run --experiment E --iterations 200 --seed 42`.

It becomes `hyperspace solo` with the same options, of which `--freeze-meta`, `--selection random`
and `--annealing [--annealing-p0 0.5] [--annealing-decay 0.9]` make the published arms; without
`--iterations` it plays 200, as published.
"""

import os
import sys
from typing import Final, NoReturn

ITERATIONS: Final = "200"


def main(arguments: list[str]) -> NoReturn:
    """Become the command that plays the run."""
    command = [sys.executable, "-m", "hyperspace", "solo", "--iterations", ITERATIONS, *arguments]
    os.execv(sys.executable, command)  # noqa: S606  no shell; the floor above is not imported


if __name__ == "__main__":
    main(sys.argv[1:])
