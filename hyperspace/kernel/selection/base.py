"""The seam: what chooses parents."""

from random import Random
from typing import Protocol

from hyperspace.kernel.state.archive import Archive, ArchiveEntry


class Select(Protocol):
    """Chooses the parent of the next generation.

    Contract: a pure function of the archive and of the numbers that the stream gives; equal
    archives and equal streams choose equally, in this process or after a restart. Only valid
    generations are chosen; failed ones count as children of theirs. What an instance keeps
    between calls saves time and decides nothing.
    """

    def __call__(self, archive: Archive, rng: Random, /) -> ArchiveEntry | None:
        """Choose; None if no generation is valid."""
        ...
