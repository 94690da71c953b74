"""Watching: marks as they are committed, by this process or another."""

from collections.abc import AsyncGenerator
from functools import partial
from logging import getLogger

from markspace.core.marks import AnyMark
from markspace.errors import StoreUnavailable
from markspace.keeping.codec import Decoder
from markspace.stores.base import Store

PAGE = 200
LOOK_S = 0.25
RETRY_S = 1.0
LOG = getLogger("markspace")

Page = list[tuple[int, AnyMark]]


async def watched(
    store: Store, decoder: Decoder, after: int
) -> AsyncGenerator[tuple[int, AnyMark]]:
    """Yield sequence and mark above `after`, in order, for ever.

    A server that goes away is waited for: the cursor loses nothing.
    """
    import anyio.to_thread  # takes longer to import than all of markspace

    limiter = anyio.CapacityLimiter(1)
    while True:
        look = partial(next_page, store, decoder, after)
        try:
            page = await anyio.to_thread.run_sync(look, abandon_on_cancel=True, limiter=limiter)
        except StoreUnavailable as error:
            LOG.warning("watching goes on when the store is back: %s", error)
            await anyio.sleep(RETRY_S)
            continue
        for sequence, mark in page:
            yield sequence, mark
            after = sequence


def next_page(store: Store, decoder: Decoder, after: int) -> Page:
    """Return the next marks above `after`, waiting a moment for them; maybe none."""
    if not store.wait(after, LOOK_S):
        return []
    with store.snapshot() as snapshot:
        page = snapshot.scan(after, PAGE)
        return [(row.sequence, decoder.decode(row.body)) for row in page]
