"""Runs of gaits on a robot: what a simulator is asked for, and what comes of a run.

What a step is worth, and when a robot has fallen, is decided here for every simulator.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from hyperspace.tasks.go2.expression import Value

CONTROL_S = 0.02
"""Time of a control step, in every simulator."""
_ENDS_BELOW_UP = math.cos(math.radians(30))
_ENDS_BELOW_M = 0.12
_NO_VALUE = -1e6  # reward of a step at which the expression has none


class Push(NamedTuple):
    """A sudden change of the torso's speed, in m/s along and across the world's axes."""

    step: int
    along: float
    across: float


class GaitAttempt(NamedTuple):
    """A gait to run.

    Attributes:
        gait: See `hyperspace.tasks.go2.rhythm`.
        command: Speed that is asked for, in m/s.
        push: What happens to the robot on its way.
    """

    gait: Sequence[float]
    command: float
    push: Push | None = None


class Rollout(NamedTuple):
    """What one run came to.

    Attributes:
        reward: Sum over its steps.
        tracking: Sum of exp(-4 (command - speed)^2).
        highest_m: Of the torso, after the first half second; 0 if the run ended before.
        steps: Until it fell, or all.
    """

    reward: float
    tracking: float
    highest_m: float
    steps: int


class Simulator(Protocol):
    """Robots that run gaits."""

    def run(
        self,
        attempts: Sequence[GaitAttempt],
        steps: int,
        *,
        hop: bool,
        reward: Value | None = None,
    ) -> list[Rollout]:
        """Run each gait until its robot falls, at most for `steps` control steps.

        Each starts from standing, and no run depends on the others.

        Args:
            attempts: What to run; any number.
            steps: Of `CONTROL_S`.
            hop: The task is to jump.
            reward: What to sum up; None for nothing.
        """
        ...


class RunningSum:
    """What a run has come to so far."""

    def __init__(self, command: float, reward: Value | None) -> None:
        self.fell = False
        self._command = command
        self._reward = reward
        self._total = self._tracking = self._highest_m = 0.0
        self._steps = 0

    def add(self, names: Mapping[str, float]) -> None:
        """Count a step by what it showed (`tasks.go2.observations`); none counts after a fall."""
        stands = names["up"] >= _ENDS_BELOW_UP and names["height"] >= _ENDS_BELOW_M
        if self.fell or not stands:  # what is no number is no standing
            self.fell = True
            return
        self._tracking += math.exp(-4 * (self._command - names["v_x"]) ** 2)
        if self._steps * CONTROL_S >= 0.5:
            self._highest_m = max(self._highest_m, names["height"])
        if self._reward is not None:
            self._total += _valued(self._reward, names)
        self._steps += 1

    def rollout(self) -> Rollout:
        """Return what it came to."""
        return Rollout(self._total, self._tracking, self._highest_m, self._steps)


def _valued(reward: Value, names: Mapping[str, float]) -> float:
    try:
        value = reward(names)
    except (ArithmeticError, ValueError):
        return _NO_VALUE
    return max(_NO_VALUE, min(-_NO_VALUE, value)) if value == value else _NO_VALUE
