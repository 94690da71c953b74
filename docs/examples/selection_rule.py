"""A selection rule in one file: build upon what was built upon least.

    python docs/examples/selection_rule.py solo --selection fewest_children --no-controls

The contract is `hyperspace.kernel.selection.base.Select`: a pure function of the archive and of the
numbers that the stream gives. This program is `hyperspace` with one rule more.
"""

from random import Random

from hyperspace.cli import start
from hyperspace.kernel.selection.named import rule
from hyperspace.kernel.state.archive import Archive, ArchiveEntry


@rule("fewest_children")
def fewest_children(archive: Archive, _rng: Random) -> ArchiveEntry | None:
    """Choose the valid generation with the fewest children, the latest of equals."""
    latest_first = reversed(archive.valid)
    return min(latest_first, key=lambda each: archive.children[each.generation], default=None)


if __name__ == "__main__":
    start.entry()
