"""The published mutation operator of the repository-quality task, as a yardstick.

It changes five weights, a threshold and a style from the means of its parent's errors, with tiny
noise; its meta policy adapts its step sizes. Written from its description, for tests only, apart
from the offline policy `pressure`, which is held against it. `climb` plays it and returns the best
train accuracy after each iteration.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from domains.repository_rows import FEATURES, LinearRule, Vector
from domains.table import Row

Mode = Literal["archive", "greedy"]
_STYLE_OFFSET = {"balanced": 0.0, "strict": 0.09, "lenient": -0.09}
_ZERO: Vector = (0.0,) * 5


@dataclass(frozen=True)
class Agent:
    id: str
    generation: int = 0
    weights: Vector = (0.90, 0.85, 0.88, 0.72, 0.78)
    threshold: float = 3.05
    style: str = "balanced"
    focus: int = FEATURES.index("security")
    weight_step: float = 0.12
    threshold_step: float = 0.07
    exploration: float = 0.18


class Evaluation(NamedTuple):
    train: float
    test: float
    false_positives: tuple[Vector, ...]
    false_negatives: tuple[Vector, ...]


class Entry(NamedTuple):
    agent: Agent
    result: Evaluation
    iteration: int


def climb(
    train: Sequence[Row], test: Sequence[Row], *, mode: Mode, seed: int, iterations: int = 30
) -> list[float]:
    """Play the operator; returns the best train accuracy so far, the seed agent's first."""
    rng = random.Random(seed)
    first = Agent("agent-000")
    archive = [Entry(first, evaluate(first, train, test), 0)]
    history = [archive[0].result.train]
    for iteration in range(1, iterations + 1):
        archive.append(_iterate(archive, train, test, mode, rng, iteration))
        history.append(_best(archive).result.train)
    return history


def evaluate(agent: Agent, train: Sequence[Row], test: Sequence[Row]) -> Evaluation:
    wrong = [row for row in train if _accepts(agent, row) != (row.label == "accept")]
    return Evaluation(
        round(1 - len(wrong) / len(train), 3),
        sum(_accepts(agent, row) == (row.label == "accept") for row in test) / len(test),
        tuple(_vector(row) for row in wrong if row.label == "reject"),
        tuple(_vector(row) for row in wrong if row.label == "accept"),
    )


def _accepts(agent: Agent, row: Row) -> bool:
    rule = LinearRule(agent.weights, agent.threshold + _STYLE_OFFSET[agent.style])
    return rule.excess(_vector(row)) >= 0


def _vector(row: Row) -> Vector:
    return tuple(row.inputs[feature] for feature in FEATURES)


def _iterate(
    archive: list[Entry],
    train: Sequence[Row],
    test: Sequence[Row],
    mode: Mode,
    rng: random.Random,
    iteration: int,
) -> Entry:
    parent = _best(archive) if mode == "greedy" else _sample(archive, rng)
    return breed(parent, train, test, iteration)


def breed(parent: Entry, train: Sequence[Row], test: Sequence[Row], iteration: int) -> Entry:
    """The child of a parent, measured, its meta policy adapted."""
    child = _mutate(parent, train, iteration)
    result = evaluate(child, train, test)
    better = result.train > parent.result.train
    shift = -0.02 if better else 0.05
    child = replace(child, exploration=_clamp(child.exploration + shift, 0.05, 0.45))
    return Entry(child, result, iteration)


def _best(archive: Sequence[Entry]) -> Entry:
    return max(archive, key=lambda e: (e.result.train, e.result.test, e.iteration))


def _sample(archive: list[Entry], rng: random.Random) -> Entry:
    top = _best(archive).result.train
    return rng.choices(archive, [_appeal(entry, top) for entry in archive])[0]


def _appeal(entry: Entry, top: float) -> float:
    novelty = 1 + 0.03 * min(entry.agent.generation, 8) + 0.08 * (entry.result.train < top - 0.15)
    return (0.25 + entry.result.train) * (1 + entry.agent.exploration) * novelty


def _mutate(parent: Entry, train: Sequence[Row], iteration: int) -> Agent:
    agent, result = parent.agent, parent.result
    pressures = _pressures(result, train)
    focus = pressures.index(max(pressures)) if any(pressures) else agent.focus
    weights = tuple(
        _clamp(w + _step(agent, f, pressures[f], f == focus, iteration), 0.25, 1.8)
        for f, w in enumerate(agent.weights)
    )
    child = replace(
        agent, id=f"agent-{iteration:03d}", generation=agent.generation + 1, weights=weights
    )
    return _tune(_tilt(child, result), pressures[focus], result, focus)


def _pressures(result: Evaluation, train: Sequence[Row]) -> list[float]:
    if not result.false_positives and not result.false_negatives:
        return [0.0] * 5
    positive = _mean([_vector(row) for row in train if row.label == "accept"])
    negative = _mean([_vector(row) for row in train if row.label == "reject"])
    fp, fn = _mean(result.false_positives), _mean(result.false_negatives)
    return [
        round(max(0, positive[f] - fp[f]) + 0.7 * max(0, fn[f] - negative[f]), 4) for f in range(5)
    ]


def _step(agent: Agent, feature: int, pressure: float, focus: bool, iteration: int) -> float:
    key = f"{agent.id}|{FEATURES[feature]}|{feature}|{iteration}"
    noise = random.Random(key).uniform(-1, 1) * agent.exploration * 0.05
    return pressure * agent.weight_step + noise + 0.04 * agent.weight_step * focus


def _tilt(child: Agent, result: Evaluation) -> Agent:
    balance = len(result.false_positives) - len(result.false_negatives)
    if balance == 0:
        return replace(child, style="balanced")
    step = child.threshold_step if balance > 0 else -child.threshold_step
    style = "strict" if balance > 0 else "lenient"
    return replace(child, threshold=_clamp(child.threshold + step, 2.4, 4.2), style=style)


def _tune(child: Agent, pressure: float, result: Evaluation, focus: int) -> Agent:
    weak = pressure < 0.08
    uneven = len(result.false_positives) != len(result.false_negatives)
    return replace(
        child,
        focus=focus,
        weight_step=_clamp(child.weight_step + (0.015 if weak else -0.005), 0.04, 0.22),
        exploration=_clamp(child.exploration + 0.03 * weak, 0.05, 0.45),
        threshold_step=_clamp(child.threshold_step + (0.005 if uneven else -0.005), 0.03, 0.14),
    )


def _mean(vectors: Sequence[Vector]) -> Vector:
    if not vectors:
        return _ZERO
    return tuple(round(sum(column) / len(vectors), 4) for column in zip(*vectors, strict=True))


def _clamp(value: float, low: float, high: float) -> float:
    return round(min(high, max(low, value)), 3)
