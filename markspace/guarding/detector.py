"""Anomaly detectors: is what an agent does in this window unlike what it did before?"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import sqrt
from statistics import median
from typing import Any

from markspace.core.enums import MarkType

MAD_TO_SD = 1.4826
SEED_RELATIVE_VARIANCE = 0.25

Counts = Mapping[MarkType, int]


def default_types() -> set[MarkType]:
    """Return the types that are tracked by default."""
    return {MarkType.OBSERVATION, MarkType.WARNING}


class AnomalyDetector(ABC):
    """Judges one agent's counts per window."""

    @abstractmethod
    def observe(self, window_counts: Counts) -> None:
        """Learn from a completed window."""

    @abstractmethod
    def is_ready(self) -> bool:
        """Return whether enough has been learned to judge."""

    @abstractmethod
    def is_anomalous(self, current_counts: Counts) -> bool:
        """Judge the current window."""

    @abstractmethod
    def export_state(self) -> dict[str, Any]:
        """Return what has been learned, as JSON values."""

    @abstractmethod
    def import_state(self, data: Mapping[str, Any]) -> None:
        """Take over what was exported."""

    def seed_baseline(self, expected: Mapping[MarkType, float]) -> None:  # noqa: B027 - optional
        """Start from what is expected per window."""


@dataclass
class WelfordConfig:
    """Settings of a `WelfordDetector`.

    Attributes:
        k_sigma: Deviations above the mean that are anomalous.
        min_samples: Active windows before it judges.
        type_shift_threshold: Change in a type's share that is anomalous.
        tracked_types: Types that it learns.
    """

    k_sigma: float = 3.5
    min_samples: int = 10
    type_shift_threshold: float = 0.5
    tracked_types: set[MarkType] = field(default_factory=default_types)


@dataclass
class Accumulator:
    """Streaming mean and variance (Welford 1962). `m2` is the sum of squared deviations."""

    n: int = 0
    mean: float = 0.0
    m2: float = 0.0

    def update(self, value: float) -> None:
        """Take one more value."""
        self.n += 1
        delta = value - self.mean
        self.mean += delta / self.n
        self.m2 += delta * (value - self.mean)

    def sd(self) -> float:
        """Return the sample standard deviation; 0 with fewer than two values."""
        return sqrt(self.m2 / (self.n - 1)) if self.n > 1 else 0.0

    def limit(self, k_sigma: float) -> float:
        """Return the count above which a window is anomalous.

        A type that was never seen is judged as if one a window were its deviation, so that it
        can trip the test too.
        """
        spread = max(self.sd(), sqrt(self.mean)) or 1.0
        return self.mean + k_sigma * spread


class WelfordDetector(AnomalyDetector):
    """Learns means and deviations per type; robust at the start by median and MAD."""

    def __init__(self, config: WelfordConfig | None = None) -> None:
        self.config = config or WelfordConfig()
        self._buffer: list[dict[MarkType, int]] | None = []
        self._by_type: dict[MarkType, Accumulator] = {}
        self._completed = 0
        self._active = 0

    @property
    def completed_windows(self) -> int:
        """Windows learned from."""
        return self._completed

    def observe(self, window_counts: Counts) -> None:
        """Learn from a completed window."""
        self._completed += 1
        self._active += any(window_counts.get(kind, 0) for kind in self.config.tracked_types)
        if self._buffer is None:
            for kind in self._kinds(window_counts):
                learned = self._by_type.setdefault(kind, Accumulator())
                learned.update(window_counts.get(kind, 0))
            return
        self._buffer.append(dict(window_counts))
        if not self.is_ready():
            return
        # The cold start is over: means and deviations that outliers cannot shift.
        for kind in self._kinds(*self._buffer):
            values = [counts.get(kind, 0) for counts in self._buffer]
            mean = float(median(values))
            sd = MAD_TO_SD * median(abs(value - mean) for value in values)
            self._by_type[kind] = Accumulator(len(values), mean, sd**2 * (len(values) - 1))
        self._buffer = None

    def _kinds(self, *windows: Counts) -> set[MarkType]:
        """Return the tracked types and those that were attempted."""
        return self.config.tracked_types.union(*windows)

    def is_ready(self) -> bool:
        """Return whether enough active windows were seen."""
        return self._active >= self.config.min_samples

    def is_anomalous(self, current_counts: Counts) -> bool:
        """Judge by rate, then by the shares of the types."""
        for kind in self._kinds(current_counts):
            learned = self._by_type.get(kind, Accumulator())
            if current_counts.get(kind, 0) > learned.limit(self.config.k_sigma):
                return True
        kinds = self.config.tracked_types
        means = {kind: self._by_type.get(kind, Accumulator()).mean for kind in kinds}
        now, before = sum(current_counts.get(kind, 0) for kind in kinds), sum(means.values())
        if not now or not before:
            return False
        shifts = (abs(current_counts.get(kind, 0) / now - means[kind] / before) for kind in kinds)
        return any(shift > self.config.type_shift_threshold for shift in shifts)

    def seed_baseline(self, expected: Mapping[MarkType, float], synthetic_windows: int = 0) -> None:
        """Start from expected counts per window, as if seen in `synthetic_windows` windows."""
        n = synthetic_windows or self.config.min_samples
        for kind, mean in expected.items():
            if kind in self.config.tracked_types:
                m2 = SEED_RELATIVE_VARIANCE * mean**2 * (n - 1) if n > 1 else 0.0
                self._by_type[kind] = Accumulator(n, float(mean), m2)
        self._completed, self._active = max(self._completed, n), max(self._active, n)
        self._buffer = None

    def export_state(self) -> dict[str, Any]:
        """Return what has been learned, as JSON values."""
        return {
            "completed_windows": self._completed,
            "active_windows": self._active,
            "welford_n": self._each("n"),
            "welford_mean": self._each("mean"),
            "welford_m2": self._each("m2"),
        }

    def _each(self, name: str) -> dict[str, float]:
        return {kind.value: getattr(acc, name) for kind, acc in self._by_type.items()}

    def import_state(self, data: Mapping[str, Any]) -> None:
        """Take over what was exported, all or nothing; counts of windows never go down."""
        completed, active = int(data["completed_windows"]), int(data["active_windows"])
        kinds: Iterable[str] = data["welford_n"]
        learned: dict[MarkType, Accumulator] = {}
        for kind in kinds:
            n, mean, m2 = (data[f"welford_{name}"][kind] for name in ("n", "mean", "m2"))
            learned[MarkType(kind)] = Accumulator(int(n), float(mean), float(m2))
        self._by_type.update(learned)
        self._completed = max(self._completed, completed)
        self._active = max(self._active, active)
        self._buffer = None

    def diagnostic_stats(self) -> dict[str, Any]:
        """Return what has been learned, for people."""
        state = self.export_state()
        return {name.removeprefix("welford_"): value for name, value in state.items()}
