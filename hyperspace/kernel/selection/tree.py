"""Weights as logarithms in a tree of sums: to change one, or to draw, costs O(log n)."""

from math import exp, inf, log1p
from random import Random
from typing import Final

NOTHING: Final = -inf  # the logarithm of the weight 0


class LogWeights:
    """Weights of the numbers from 0 on, kept as logarithms so that none underflows.

    Every sum depends on the weights alone, not on the order in which they were set, so a tree that
    is built anew after a restart draws as the old one would have drawn.
    """

    def __init__(self) -> None:
        self._leaves = 1
        self._nodes = [NOTHING, NOTHING]  # node i has the children 2i and 2i + 1; the root is 1

    @property
    def total(self) -> float:
        """Logarithm of the sum of all weights."""
        return self._nodes[1]

    def get(self, number: int) -> float:
        """Logarithm of a number's weight; minus infinity if it has none."""
        return self._nodes[self._leaves + number] if number < self._leaves else NOTHING

    def set(self, number: int, log_weight: float) -> None:
        """Change one weight."""
        if number >= self._leaves:
            self.fill([*self._nodes[self._leaves :], *[NOTHING] * (number + 1 - self._leaves)])
        node = self._leaves + number
        self._nodes[node] = log_weight
        while node > 1:
            node //= 2
            self._nodes[node] = _log_sum(self._nodes[2 * node], self._nodes[2 * node + 1])

    def fill(self, log_weights: list[float]) -> None:
        """Replace all weights at once."""
        leaves = 1
        while leaves < len(log_weights):
            leaves *= 2
        nodes = [NOTHING] * leaves + log_weights + [NOTHING] * (leaves - len(log_weights))
        for node in range(leaves - 1, 0, -1):
            nodes[node] = _log_sum(nodes[2 * node], nodes[2 * node + 1])
        self._leaves, self._nodes = leaves, nodes

    def draw(self, rng: Random) -> int:
        """Draw a number with a probability in proportion to its weight.

        Raises:
            ValueError: No number has a weight.
        """
        if self.total == NOTHING:
            raise ValueError("there is nothing to draw from")
        node = 1
        while node < self._leaves:
            left = exp(self._nodes[2 * node] - self._nodes[node])
            node = 2 * node + (rng.random() >= left)
        return node - self._leaves


def _log_sum(left: float, right: float) -> float:
    low, high = (left, right) if left < right else (right, left)
    return high if low == NOTHING else high + log1p(exp(low - high))
