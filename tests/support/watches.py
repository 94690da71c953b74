"""Watches of this process while it shares one instance of inotify, and while it does not."""

import os
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from guards.scope.watches import OWN, SharedWatches, Watches, open_watches


@contextmanager
def none_of_ones_own() -> Generator[None]:
    """Hold every instance that a user has alone, so that further ones share."""
    with ExitStack() as held:
        for _ in range(OWN):
            watches = open_watches()
            assert not isinstance(watches, SharedWatches)
            held.callback(watches.close)
        yield


def watch(user: Watches, path: Path, mask: int) -> int:
    """Watch a file or a folder, and no link; return the watch's number."""
    descriptor = os.open(path, os.O_PATH | os.O_NOFOLLOW)
    try:
        return user.watch(descriptor, mask)
    finally:
        os.close(descriptor)
