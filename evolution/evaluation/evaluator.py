"""Where evaluation happens: the seam between what evaluates and the sandboxes that answer."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from random import Random
from typing import Any, Protocol

import msgspec

from domains.base import Domain, Item
from guards.defences import ALL_IN_FORCE, Without


class CandidateFailed(Exception):
    """The candidate's own code makes this generation invalid."""


class Worker(Protocol):
    """A sandbox that answers for one task agent, with its line to the evaluation model."""

    async def predict(self, purpose: str, item: Item, token: str) -> Mapping[str, Any]:
        """Ask for one prediction; the reply holds `prediction` or `error`.

        Raises:
            SandboxEnded: The code inside ended, or was ended, before it answered.
            RunPaused: The evaluation model is down.
        """
        ...


class Evaluator(msgspec.Struct, frozen=True):
    """Where evaluation happens.

    Attributes:
        domain: The task.
        open_worker: Starts a fresh worker.
        rng: Opens the random stream of a name.
        on_item: Told (split, done, total) after each item.
        without: Defences that a test has taken away.
        workers: How many workers may be busy at a time; decides no result.
        staged: Whether the rest of train waits for a hit in the staged pass.
        on_settled: Told at the end of each stage which answers count so far: (split, counted,
            dropped), ids of the items that a single worker would have asked, in its order, and of
            those that it would not have come to.
        repeats: One more for each further pass over the items, with streams and a place for model
            calls of its own.
    """

    domain: Domain
    open_worker: Callable[[], AbstractAsyncContextManager[Worker]]
    rng: Callable[[str], Random]
    on_item: Callable[[str, int, int], None]
    without: Without = ALL_IN_FORCE
    workers: int = 1
    staged: bool = True
    on_settled: Callable[[str, Sequence[str], Sequence[str]], None] = (
        lambda _split, _counted, _dropped: None
    )
    repeats: Sequence["Evaluator"] = ()
