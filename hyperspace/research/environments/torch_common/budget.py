"""What a training may use beside CPU seconds, counted as it is used. Frozen.

It ends a training that asks for more; what it has learned until then counts. It holds against code
that uses too much, and not against code that takes it out: of that, the CPU seconds are the bound.
"""

from collections.abc import Callable
from typing import Any

import torch


class TrainingOver(Exception):
    """The training has used what it may use."""


class Budget:
    """Counts what is used, by name.

    Args:
        limits: How much there is of each.
    """

    def __init__(self, limits: dict[str, int]) -> None:
        self.limits = limits
        self.used = dict.fromkeys(limits, 0)

    def spend(self, name: str, amount: int) -> None:
        """Use something.

        Raises:
            TrainingOver: There is less left.
        """
        if self.used[name] + amount > self.limits[name]:
            raise TrainingOver(f"all {self.limits[name]:,} {name} are used")
        self.used[name] += amount


def count_updates(budget: Budget) -> None:
    """Count each backward pass, by whatever is called, as an update from now on."""
    variable: Any = torch.autograd.Variable
    variable._execution_engine = _CountedEngine(
        variable._execution_engine, lambda: budget.spend("updates", 1)
    )


class _CountedEngine:
    """PyTorch's engine of gradients, which tells of each pass before it begins."""

    def __init__(self, engine: Any, tell: Callable[[], None]) -> None:
        self._engine = engine
        self._tell = tell

    def run_backward(self, *values: Any, **named: Any) -> Any:
        self._tell()
        return self._engine.run_backward(*values, **named)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)
