"""The published entry point: `python -m replication.run --experiment E --iterations 200 --seed 42`.

It becomes `hyperspace solo` with the same options, of which `--freeze-meta`, `--selection random`
and `--annealing [--annealing-p0 0.5] [--annealing-decay 0.9]` make the published arms; without
`--iterations` a new run takes 200, as published, and one that is there as many as it has.
"""

import os
import sys
from collections.abc import Sequence
from typing import Final, NoReturn

ITERATIONS: Final = "200"


def asked(arguments: Sequence[str]) -> list[str]:
    """The arguments of `hyperspace solo`: a new run without a number of its own takes 200."""
    return ["--generations-if-new", ITERATIONS, *arguments]


def main(arguments: list[str]) -> NoReturn:
    """Become the command that plays the run."""
    command = [sys.executable, "-P", "-m", "hyperspace", "solo", *asked(arguments)]
    os.execv(sys.executable, command)  # noqa: S606  no shell; the floor above is not imported


if __name__ == "__main__":
    main(sys.argv[1:])
