"""How long each operation took, and how it ended."""

import time
from collections import Counter
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Stopwatch:
    """Wall time of operations by kind.

    Attributes:
        seconds: Of each operation, in order.
        refused: How many of a kind the space refused.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}
        self.refused: Counter[str] = Counter()

    def __call__(self, kind: str, operation: Callable[P, T], *args: P.args, **kw: P.kwargs) -> T:
        """Do an operation and note how long it took, also if it raised."""
        began = time.perf_counter()
        try:
            return operation(*args, **kw)
        finally:
            taken = time.perf_counter() - began
            self.seconds.setdefault(kind, []).append(taken)
