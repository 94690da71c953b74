"""Scores sorting networks exactly, on every input of zeros and ones.

A network that sorts each of them sorts everything. All 2^n inputs run at once: a wire is an integer
with one bit an input, a comparator is an `and` and an `or`.
"""

from itertools import pairwise
from typing import Any, cast

from hyperspace.tasks.strict_json import parse_strictly

TRAIN_BEST = {8: 19, 9: 25, 11: 35, 12: 39, 14: 51, 16: 60}
"""Fewest comparators known by number of wires, for the train items."""

MOST_CHARACTERS = 20_000
CPU_S = 5  # of an answer

Network = list[tuple[int, int]]


def score(inputs: dict[str, Any], prediction: str) -> float:
    """Score an answer to a train item; 0 if it is invalid."""
    n = inputs["n"]
    try:
        network = read_network(n, prediction)
    except ValueError:
        return 0.0
    return grade(n, TRAIN_BEST[n], len(network), unsorted_inputs(n, network))


def read_network(n: int, prediction: str) -> Network:
    """Read an answer.

    Raises:
        ValueError: The answer is no network on n wires; says why.
    """
    if len(prediction) > MOST_CHARACTERS:
        raise ValueError(f"the answer has more than {MOST_CHARACTERS} characters")
    answer = parse_strictly(prediction)
    fields = cast("dict[str, Any]", answer) if isinstance(answer, dict) else {}
    if fields.keys() != {"comparators"}:
        raise ValueError('the answer is not {"comparators": [[i, j], ...]}')
    pairs = fields["comparators"]
    if not isinstance(pairs, list) or len(cast("list[Any]", pairs)) > n * (n - 1):
        raise ValueError(f"comparators are no list of at most {n * (n - 1)}")
    return [_comparator(n, number, pair) for number, pair in enumerate(cast("list[Any]", pairs))]


def unsorted_inputs(n: int, network: Network) -> int:
    """Count the inputs of zeros and ones, of 2^n, that a network does not sort."""
    wires = [_wire(n, index) for index in range(n)]
    for i, j in network:
        wires[i], wires[j] = wires[i] & wires[j], wires[i] | wires[j]
    wrong = 0
    for low, high in pairwise(wires):
        wrong |= low & ~high
    return wrong.bit_count()


def grade(n: int, best: int, size: int, unsorted: int) -> float:
    """Score of a network: up to .5 if it does not sort all, .5 for naive, 1 for best known.

    Args:
        n: Wires.
        best: Fewest comparators known; a score above 1 is a record.
        size: Comparators.
        unsorted: Inputs that it does not sort.
    """
    if unsorted:
        return 0.5 * (2**n - unsorted) / 2**n
    naive = n * (n - 1) // 2
    return max(0.0, 0.5 + 0.5 * (naive - size) / (naive - best))


def _comparator(n: int, number: int, pair: Any) -> tuple[int, int]:
    if not isinstance(pair, list) or list(map(type, cast("list[Any]", pair))) != [int, int]:
        raise ValueError(f"comparator {number} is not [i, j]")
    i, j = cast("list[int]", pair)
    if not 0 <= i < j < n:
        raise ValueError(f"comparator {number} does not keep 0 <= i < j < {n}")
    return i, j


def _wire(n: int, index: int) -> int:
    """The bits of one wire over all inputs: bit k is bit `index` of k."""
    bits = ((1 << (1 << index)) - 1) << (1 << index)
    width = 2 << index
    while width < 1 << n:
        bits |= bits << width
        width *= 2
    return bits
