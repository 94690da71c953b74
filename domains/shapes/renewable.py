"""Tasks that can draw fresh validation items, so that a memorised set shows."""

from typing import Protocol, runtime_checkable

from domains.base import Domain


@runtime_checkable
class Renewable(Protocol):
    """A domain with as many validation sets as there are epochs."""

    def renewed(self, epoch: int) -> Domain:
        """The same task with the validation items of another epoch.

        Train and test stay; epoch 0 is the domain as it was loaded; items of two epochs are
        disjoint. Name and `data_sha256` stay.
        """
        ...
