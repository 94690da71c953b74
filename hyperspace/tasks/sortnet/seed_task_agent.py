"""Builds a sorting network from a table of passes, then looks for comparators to do without."""

import json
import random
from itertools import pairwise
from typing import Any

Network = list[tuple[int, int]]

# Passes over the wires: of 2 * distance wires from start on, the first half meets the second.
PASSES = [
    # distance, start
    (4, 0),
    (3, 1),
]
# Then passes over neighbours, these in turns, until everything is sorted.
FINISH = [(1, 0), (1, 1)]

DOUBLINGS = 5  # changes that are tried: 2 to this power
WORK = 30  # bits that may be compared in all of them: 2 to this power
LONGEST_MOVE = 8  # places in the list that a comparator is moved by
SEED = 1


def drop(network: Network, n: int, rng: random.Random) -> Network:
    """Leave out one comparator."""
    place = rng.randrange(len(network))
    return network[:place] + network[place + 1 :]


def move(network: Network, n: int, rng: random.Random) -> Network:
    """Move one comparator to another place in the list."""
    place = rng.randrange(len(network))
    rest = network[:place] + network[place + 1 :]
    target = max(0, place + rng.randint(-LONGEST_MOVE, LONGEST_MOVE))
    return [*rest[:target], network[place], *rest[target:]]


def replace(network: Network, n: int, rng: random.Random) -> Network:
    """Put another comparator in the place of one."""
    place = rng.randrange(len(network))
    i, j = sorted(rng.sample(range(n), 2))
    return [*network[:place], (i, j), *network[place + 1 :]]


# Changes that are tried, each as often as it stands here.
CHANGES = [drop, move, drop, replace]


def all_inputs(n: int) -> list[int]:
    """One integer a wire, with a bit for each of the 2^n inputs of zeros and ones."""
    wires: list[int] = []
    for index in range(n):
        bits = ((1 << (1 << index)) - 1) << (1 << index)
        for doubling in range(index + 1, n):
            bits |= bits << (1 << doubling)
        wires.append(bits)
    return wires


def is_sorted(wires: list[int]) -> bool:
    """Whether every input has come out in order."""
    return not any(low & ~high for low, high in pairwise(wires))


def useful(network: Network, wires: list[int]) -> Network:
    """Run a network on wires, which it changes; the comparators that exchanged something."""
    kept: Network = []
    for i, j in network:
        if wires[i] & ~wires[j]:
            wires[i], wires[j] = wires[i] & wires[j], wires[i] | wires[j]
            kept.append((i, j))
    return kept


def comparators(one_pass: tuple[int, int], n: int) -> Network:
    """The comparators of a pass on n wires."""
    distance, start = one_pass
    return [
        (i, i + distance) for i in range(n - distance) if (i - start) % (2 * distance) < distance
    ]


def build(n: int) -> Network:
    """A network by the tables of passes."""
    wires = all_inputs(n)
    network: Network = []
    for one_pass in PASSES:
        network += useful(comparators(one_pass, n), wires)
    rounds = 0
    while not is_sorted(wires) and rounds < 2 * n:
        network += useful(comparators(FINISH[rounds % len(FINISH)], n), wires)
        rounds += 1
    return network


def search(network: Network, n: int) -> Network:
    """Try changes at random; keep those that sort and are not longer."""
    rng = random.Random(SEED)
    inputs = all_inputs(n)
    work = 2 ** min(WORK, 33)  # two of the five CPU seconds that an answer has
    steps = min(2**DOUBLINGS, work // (len(network) << n))
    for step in range(steps):
        other = CHANGES[step % len(CHANGES)](network, n, rng)
        wires = list(inputs)
        kept = useful(other, wires)
        if is_sorted(wires):
            network = kept
    return network


class TaskAgent:
    """Answers one item at a time, without asking a model."""

    def __init__(self, model: str, log_file: str = "") -> None:
        self.model = model
        self.log_file = log_file

    def forward(self, inputs: dict[str, Any]) -> tuple[str, list[dict[str, str]]]:
        """Return the network as JSON, and the (empty) conversation."""
        n = inputs["n"]
        network = search(build(n), n)
        return json.dumps({"comparators": network}), []
