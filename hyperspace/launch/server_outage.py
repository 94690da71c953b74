"""The server of a run's space is away: the run stops whole, waits, and goes on as resumed."""

import time
from collections.abc import Iterable
from contextlib import closing
from typing import Final

from hyperspace.kernel.errors import RunPaused
from hyperspace.kernel.events import Notice, Observer
from hyperspace.kernel.state.lease import is_ours
from markspace import MarkSpace
from markspace.errors import StoreUnavailable
from markspace.stores.places import open_store

LOOK_S: Final = 1.0


def is_outage(errors: Iterable[BaseException]) -> bool:
    """Return whether one of the errors that ended a run is that the server was away."""
    return any(isinstance(error, StoreUnavailable) for error in errors)


def wait_for_server(address: str, minutes: float, observer: Observer) -> None:
    """Wait until a space can be read again, and the lease that could not be given back is over.

    Args:
        address: Of the space.
        minutes: How long to wait at most.
        observer: Told that the run waits, and that it goes on.

    Raises:
        RunPaused: It was away for too long.
    """
    deadline, was_told = time.monotonic() + 60 * minutes, False
    while True:
        try:
            with closing(open_store(address, None, read_only=True)) as store:
                is_free = not is_ours(MarkSpace(store=store))
            if is_free:
                observer(Notice("the server of the run's space answers; the run goes on"))
                return
        except StoreUnavailable as error:
            if time.monotonic() >= deadline:
                raise RunPaused(
                    f"{error}; it was away for {minutes:g} minutes, nothing is lost, and the same "
                    "command goes on"
                ) from error
            if not was_told:
                observer(Notice(f"the run waits for the server of its space: {error}"))
            was_told = True
        time.sleep(LOOK_S)
