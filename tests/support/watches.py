"""Watches of this process while it shares one instance of inotify, and while it does not."""

from collections.abc import Generator
from contextlib import ExitStack, contextmanager

from guards.scope.watches import OWN, SharedWatches, open_watches


@contextmanager
def none_of_ones_own() -> Generator[None]:
    """Hold every instance that a user has alone, so that further ones share."""
    with ExitStack() as held:
        for _ in range(OWN):
            watches = open_watches()
            assert not isinstance(watches, SharedWatches)
            held.callback(watches.close)
        yield
