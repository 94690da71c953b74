"""A selection rule in one file: build upon what was built upon least.

    python docs/examples/selection_rule.py solo --selection fewest_children --no-controls

The contract is `evolution.selection.base.Select`: a pure function of the archive and of the
numbers that the stream gives. This program is `hyperspace` with one rule more.
"""

from random import Random

from evolution.selection.named import rule
from evolution.state.archive import Archive, ArchiveEntry
from hyperspace import start


@rule("fewest_children")
def fewest_children(archive: Archive, _rng: Random) -> ArchiveEntry | None:
    """Choose the valid generation with the fewest children, the latest of equals."""
    latest_first = reversed(archive.valid)
    return min(latest_first, key=lambda each: archive.children[each.generation], default=None)


if __name__ == "__main__":
    start.entry()
