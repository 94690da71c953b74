"""One training by an answer's reward and its trials, as an episode of one action; in the child."""

import random
from collections.abc import Sequence
from typing import Any

from domains.go2.expression import BadExpression, Value, parse
from domains.go2.observations import NAMES
from domains.go2.rhythm import START
from domains.go2.simulation import Push, Rollout, Simulation
from domains.go2.training import COMMANDS, EFFORTS, Gait, train
from domains.shapes.outcome import Outcome

RISE_M = 0.2
"""How far a hop rises above standing for a score of 1."""
_TRIALS = 3
_TRIAL_STEPS = 200
_COMMANDS = {False: (0.2, 0.8), True: (0.1, 1.0)}  # m/s; True: of test
_PUSHES = {False: 0.2, True: 0.4}  # m/s at most, along and across


class TrainingGame:
    """Takes one reward, trains a gait by it, and tries the gait out."""

    def __init__(self, inputs: dict[str, Any]) -> None:
        self._task: str = inputs["task"]
        self._hop = self._task == "go2_hop"
        self._sign = -1.0 if self._task == "go2_walkback" else 1.0
        self._effort = EFFORTS[inputs["scale"]]
        self._training_seed: str = inputs["training"]
        self._trials = self._draw_trials(random.Random(inputs["trials"]), inputs["shifted"])  # noqa: S311 - data
        self._simulation = Simulation()
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
        gait = train(lambda candidate: self._value(candidate, reward), self._effort, rng)
        runs = self._try(gait)
        score, standing = self._fitness(runs), self._fitness(self._try(START))
        if self._hop:
            score, standing = max(0.0, score), 0.0
        falls = sum(run.steps < _TRIAL_STEPS for run in runs)
        self._outcome = Outcome(
            round(score, 3),
            f"fitness {score:.3f}, standing {standing:.3f}, fell in {falls} of {_TRIALS} trials",
            details={
                "standing": round(standing, 3),
                "falls": falls,
                "reward": round(self._value(gait, reward), 3),
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

    def _draw_trials(self, rng: random.Random, shifted: bool) -> list[tuple[float, Push]]:
        low, high = _COMMANDS[shifted]
        hardest = _PUSHES[shifted]
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

    def _value(self, gait: Gait, reward: Value) -> float:
        """Mean reward a step; nothing for the steps after a fall."""
        steps = self._effort.steps
        commands = (0.0,) if self._hop else [self._sign * command for command in COMMANDS]
        runs = [
            self._simulation.run(gait, command, steps, hop=self._hop, reward=reward)
            for command in commands
        ]
        return sum(run.reward for run in runs) / len(runs) / steps

    def _try(self, gait: Gait) -> list[Rollout]:
        return [
            self._simulation.run(gait, command, _TRIAL_STEPS, hop=self._hop, push=push)
            for command, push in self._trials
        ]

    def _fitness(self, runs: Sequence[Rollout]) -> float:
        if not self._hop:
            return sum(run.tracking for run in runs) / len(runs) / _TRIAL_STEPS
        standing = self._simulation.run(START, 0.0, _TRIAL_STEPS, hop=True).highest_m
        rises = [(run.highest_m - standing) * run.steps / _TRIAL_STEPS for run in runs]
        return sum(rises) / len(rises) / RISE_M


def make(inputs: dict[str, Any]) -> TrainingGame:
    """Make the episode of an item; called in the child."""
    return TrainingGame(inputs)
