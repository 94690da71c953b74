"""Watching: marks as they are committed, by this process or another."""

from collections.abc import AsyncIterator
from functools import partial

from markspace.codec import Decoder
from markspace.core.marks import AnyMark
from markspace.stores.base import Store

PAGE = 200
LOOK_S = 0.25

Page = list[tuple[int, AnyMark]]


async def watched(store: Store, decoder: Decoder, after: int) -> AsyncIterator[tuple[int, AnyMark]]:
    """Yield sequence and mark above `after`, in order, for ever."""
    import anyio.to_thread  # takes longer to import than all of markspace

    limiter = anyio.CapacityLimiter(1)
    while True:
        look = partial(next_page, store, decoder, after)
        for sequence, mark in await anyio.to_thread.run_sync(
            look, abandon_on_cancel=True, limiter=limiter
        ):
            yield sequence, mark
            after = sequence


def next_page(store: Store, decoder: Decoder, after: int) -> Page:
    """Return the next marks above `after`, waiting a moment for them; maybe none."""
    if not store.wait(after, LOOK_S):
        return []
    with store.snapshot() as snapshot:
        page = snapshot.scan(after, PAGE)
        return [(row.sequence, decoder.decode(row.body)) for row in page]
