"""One training by an answer's reward and its trials, as an episode of one action; in the child."""

import random
from collections.abc import Sequence
from typing import Any, Literal

from hyperspace.tasks.base import Split
from hyperspace.tasks.go2.expression import BadExpression, Value, parse
from hyperspace.tasks.go2.observations import NAMES
from hyperspace.tasks.go2.rhythm import START
from hyperspace.tasks.go2.rollouts import GaitAttempt, Push, Rollout, Simulator
from hyperspace.tasks.go2.training import COMMANDS, Effort, Gait, train
from hyperspace.tasks.shapes.outcome import Outcome

Motion = Literal["forward", "back", "hop"]

RISE_M = 0.2
"""How far a hop rises above standing for a score of 1."""
_TRIALS = 10  # a trial is cheap beside the training before it
_TRIAL_STEPS = 200
_COMMANDS = {"train": (0.2, 0.8), "val": (0.15, 0.9), "test": (0.1, 1.0)}  # m/s
_PUSHES = {"train": 0.2, "val": 0.3, "test": 0.4}  # m/s at most, along and across


class TrainingGame:
    """Takes one reward, trains a gait by it, and tries the gait out."""

    def __init__(self, inputs: dict[str, Any], simulator: Simulator, effort: Effort) -> None:
        self._task: str = inputs["task"]
        motion: Motion = inputs["motion"]
        self._hop = motion == "hop"
        self._sign = -1.0 if motion == "back" else 1.0
        self._simulator = simulator
        self._effort = effort
        self._training_seed: str = inputs["training"]
        self._trials = self._draw_trials(random.Random(inputs["trials"]), inputs["split"])  # noqa: S311 - data
        self._outcome = Outcome(0.0, "no reward was given")
        self._over = False

    def observe(self) -> dict[str, Any] | None:
        """Tell that a reward is awaited; see `Episode`."""
        return None if self._over else {"task": self._task}

    def act(self, action: str) -> None:
        """Train by a reward, and try what came of it."""
        self._over = True
        try:
            reward = parse(action, NAMES)
        except BadExpression as error:
            self._outcome = Outcome(0.0, f"no reward: {error}")
            return
        rng = random.Random(self._training_seed)  # noqa: S311 - data, not secrets
        gait = train(lambda candidates: self._values(candidates, reward), self._effort, rng)
        attempts = [
            GaitAttempt(each, command, push)
            for each in (gait, START)
            for command, push in self._trials
        ]
        attempts.append(GaitAttempt(START, 0.0))
        *runs, unmoved = self._simulator.run(attempts, _TRIAL_STEPS, hop=self._hop)
        score = self._fitness(runs[:_TRIALS], unmoved)
        standing = self._fitness(runs[_TRIALS:], unmoved)
        if self._hop:
            score, standing = max(0.0, score), 0.0
        falls = sum(run.steps < _TRIAL_STEPS for run in runs[:_TRIALS])
        self._outcome = Outcome(
            round(score, 3),
            f"fitness {score:.3f}, standing {standing:.3f}, fell in {falls} of {_TRIALS} trials",
            details={
                "standing": round(standing, 3),
                "falls": falls,
                "reward": round(self._values([gait], reward)[0], 3),
            },
        )

    def outcome(self) -> Outcome:
        """Return the fitness; see `Episode`."""
        return self._outcome

    def draw(self) -> str:
        """Return the finding as text."""
        return f"{self._task}: {self._outcome.reason}"

    def close(self) -> None:
        """Nothing is held that outlives the object."""

    def _draw_trials(self, rng: random.Random, split: Split) -> list[tuple[float, Push]]:
        low, high = _COMMANDS[split]
        hardest = _PUSHES[split]
        return [
            (
                0.0 if self._hop else self._sign * rng.uniform(low, high),
                Push(
                    rng.randrange(25, 150),
                    rng.uniform(-hardest, hardest),
                    rng.uniform(-hardest, hardest),
                ),
            )
            for _ in range(_TRIALS)
        ]

    def _values(self, gaits: Sequence[Gait], reward: Value) -> list[float]:
        """Mean reward a step of each gait; nothing for the steps after a fall."""
        steps = self._effort.steps
        commands = (0.0,) if self._hop else [self._sign * command for command in COMMANDS]
        attempts = [GaitAttempt(gait, command) for gait in gaits for command in commands]
        runs = iter(self._simulator.run(attempts, steps, hop=self._hop, reward=reward))
        rewards = [[next(runs).reward for _ in commands] for _ in gaits]
        return [sum(each) / len(commands) / steps for each in rewards]

    def _fitness(self, runs: Sequence[Rollout], unmoved: Rollout) -> float:
        if not self._hop:
            return sum(run.tracking for run in runs) / len(runs) / _TRIAL_STEPS
        rises = [(run.highest_m - unmoved.highest_m) * run.steps / _TRIAL_STEPS for run in runs]
        return sum(rises) / len(rises) / RISE_M
