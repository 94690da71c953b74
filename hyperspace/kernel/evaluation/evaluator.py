"""Where evaluation happens: the seam between what evaluates and the sandboxes that answer."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from random import Random
from typing import Any, NamedTuple, Protocol

import msgspec

from guards.defences import ALL_IN_FORCE, Without
from hyperspace.tasks.base import Domain, Item, Split


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


class ItemQuestion(NamedTuple):
    """An item that a worker is asked.

    Attributes:
        item: The item, as the code is shown it.
        token: Names it for the code.
    """

    item: Item
    token: str


class EpisodePlayer(Protocol):
    """A sandbox that plays episodes for one task agent, with its line to the evaluation model."""

    async def play(
        self, purpose: str, work: str, observations: Mapping[str, Mapping[str, Any]]
    ) -> Mapping[str, Any]:
        """Ask for the next action of every episode that is still played.

        Args:
            purpose: The split.
            work: Names the block, in traces and in the record.
            observations: What each episode's agent is told, by the episode's token; one that is
                new gets a fresh task agent, one that is not named any more is over.

        Returns:
            `actions` and `errors`, each by token.

        Raises:
            SandboxEnded: The code inside ended, or was ended, before it answered.
            RunPaused: The evaluation model is down.
        """
        ...


class EvaluationSandbox(Worker, EpisodePlayer, Protocol):
    """A sandbox that answers for one task agent in either way."""

    def tell_refusals(self) -> None:
        """Put on record what was refused to it since the last time."""
        ...


class KeptSandbox(EvaluationSandbox, Protocol):
    """The sandbox in which code passed its gates, and which first blocks of train go on in.

    Attributes:
        is_over: Whether it has ended; each block then has sandboxes of its own.
    """

    is_over: bool

    def plan(self, stages: Sequence[Sequence[ItemQuestion]]) -> None:
        """Take in what it will be asked, stage after stage; a stage may never come."""
        ...

    async def close(self) -> None:
        """Take the sandbox down, after the last of its blocks; safe to call twice."""
        ...


async def _take_as_it_is(_split: Split, _item: Item, answer: str) -> str:
    return answer


def _play_nothing(_cpu_s: int | None) -> AbstractAsyncContextManager[EpisodePlayer]:
    raise TypeError("this evaluator plays no episodes")


def _keep_nothing(_split: Split, _answers: Mapping[str, str]) -> None:
    pass


class Evaluator(msgspec.Struct, frozen=True):
    """Where evaluation happens.

    Attributes:
        domain: The task.
        open_worker: Starts a fresh worker; given the CPU seconds that the domain allows all its
            answers together, or None.
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
        assess: Makes the prediction that goes on record of an item's answer.
        keep_answers: Told the answers of a split by item id where the record does not hold them.
        open_player: Starts a fresh player, as `open_worker` does.
        open_ahead: Starts a fresh worker elsewhere, which is told before what it will be asked;
            None where items are asked here.
        kept: The sandbox of the gates, if train goes on in it.
    """

    domain: Domain
    open_worker: Callable[[int | None], AbstractAsyncContextManager[Worker]]
    rng: Callable[[str], Random]
    on_item: Callable[[str, int, int], None]
    without: Without = ALL_IN_FORCE
    workers: int = 1
    staged: bool = True
    on_settled: Callable[[str, Sequence[str], Sequence[str]], None] = (
        lambda _split, _counted, _dropped: None
    )
    repeats: Sequence["Evaluator"] = ()
    assess: Callable[[Split, Item, str], Awaitable[str]] = _take_as_it_is
    keep_answers: Callable[[Split, Mapping[str, str]], None] = _keep_nothing
    open_player: Callable[[int | None], AbstractAsyncContextManager[EpisodePlayer]] = _play_nothing
    open_ahead: (
        Callable[[int | None, Sequence["ItemQuestion"]], AbstractAsyncContextManager[Worker]] | None
    ) = None
    kept: KeptSandbox | None = None
