"""Many small runs, from one that is made: what a list of runs and a comparison cost."""

from pathlib import Path
from shutil import copytree, ignore_patterns

import msgspec

from benchmarks.dashboard.made_fleet import make_fleet

SET = 200  # runs of one set, with seeds of their own
LAST = 1


def copy_runs(folder: Path, count: int) -> None:
    """Make a run and copy it, each copy below its set with a seed of its own.

    A copy is another run by its folder and its record alone: its marks are those of the first.
    Only those of the first set have folders of generations.
    """
    first = folder / "set0" / "seed1"
    make_fleet(first, agents=2, last=LAST)
    for number in range(1, count):
        target = folder / f"set{number // SET}" / f"seed{number + 1}"
        copytree(first, target, ignore=None if number < SET else ignore_patterns("gen_*"))
        record = target / "run_config.json"
        fields = msgspec.json.decode(record.read_bytes())
        fields["configuration"]["seed"] = number + 1
        record.write_bytes(msgspec.json.encode(fields))
