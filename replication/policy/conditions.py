"""The three conditions, and how one of them is played.

Source: shared/facts/small-systems.md, A4 and A5. `no_archive` draws nothing at random: its parent
is the best entry and the operator's noise does not know the run's seed, so all seeds play one run.
"""

import random
from collections.abc import Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from replication.policy.operator import Rows, breed, measure
from replication.policy.records import ArchivedPolicy, PolicyAgent

ITERATIONS: Final = 30  # as published


class PolicyCondition(NamedTuple):
    """One of the three.

    Attributes:
        label: What a person reads.
        archive: Whether parents are drawn from all entries; otherwise the best one is the parent.
        adaptive: Whether the meta policy changes its own numbers.
    """

    label: str
    archive: bool
    adaptive: bool


CONDITIONS: Final = {
    "hyperagent": PolicyCondition("archive, adaptive meta policy", archive=True, adaptive=True),
    "baseline": PolicyCondition("archive, frozen meta policy", archive=True, adaptive=False),
    "no_archive": PolicyCondition("greedy, adaptive meta policy", archive=False, adaptive=True),
}


def published_seeds(count: int) -> tuple[int, ...]:
    """Return the first seeds of the published run: 7, 20, 33, ..."""
    return tuple(13 * index + 7 for index in range(count))


def play(
    condition: str, rows: Rows, seed: int, iterations: int = ITERATIONS
) -> tuple[ArchivedPolicy, ...]:
    """Play a condition.

    Returns:
        Its archive: the seed agent, and then one entry for each iteration.
    """
    terms, rng = CONDITIONS[condition], random.Random(seed)  # noqa: S311 - no secret
    first = PolicyAgent()
    archive = [ArchivedPolicy(first, measure(first, rows), 0)]
    for iteration in range(1, iterations + 1):
        if terms.archive:
            (parent,) = rng.choices(archive, _appeals(archive))
        else:
            parent = best(archive)
        archive.append(breed(parent, rows, iteration, adaptive=terms.adaptive))
    return tuple(archive)


def best(archive: Sequence[ArchivedPolicy]) -> ArchivedPolicy:
    """Return the best entry, as published: by train, then by test, then the latest."""
    return max(archive, key=lambda entry: entry.rank)


def best_train(condition: str, rows: Rows, seed: int) -> float:
    """Return the best train score that a condition reaches in the published iterations."""
    return best(play(condition, rows, seed)).evaluation.train_accuracy


def bests_so_far(archive: Sequence[ArchivedPolicy]) -> list[ArchivedPolicy]:
    """Return the best entry after each iteration."""
    return list(accumulate(archive, lambda a, b: max(a, b, key=lambda entry: entry.rank)))


def _appeals(archive: Sequence[ArchivedPolicy]) -> list[float]:
    """Return the weight of each entry as a parent: fitness, exploration, and its novelty."""
    top = best(archive).evaluation.train_accuracy
    weights: list[float] = []
    for entry in archive:
        fitness = entry.evaluation.train_accuracy
        novelty = 1 + 0.03 * min(entry.agent.generation, 8) + 0.08 * (fitness < top - 0.15)
        explores = 1 + entry.agent.meta_policy.exploration_scale
        weights.append((0.25 + fitness) * explores * novelty)
    return weights
