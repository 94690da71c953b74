"""The published operator: a child is moved by the pressure of its parent's errors.

Source: shared/facts/small-systems.md, A4. The offline policy `pressure` does the same to a record
inside a sandbox; a test holds each against the other. Noise is keyed by the parent and the
iteration, not by the seed of a run, so the child of a parent in an iteration is always the same.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from hyperspace.tasks.base import Split
from hyperspace.tasks.repository_rows import FEATURES, Vector
from hyperspace.tasks.table import Row
from replication.policy.records import (
    ArchivedPolicy,
    MetaPolicy,
    PolicyAgent,
    PolicyEvaluation,
    Style,
    TaskPolicy,
    bounded,
)

Rows = Mapping[Split, Sequence[Row]]
MOST_REMEMBERED: Final = 4  # notes of a meta policy
MOST_LINEAGE: Final = 6  # notes of an agent
_NOISE: Final = 0.05  # of the exploration scale
_PULL: Final = 0.04  # of the weight step, for the focus
_MISSED: Final = 0.7  # weight of false negatives beside false positives
_WEAK: Final = 0.08  # a pressure below it makes the steps wider
_TILTS: Final[dict[int, tuple[Style, str]]] = {
    1: ("strict", "raise the bar"),
    -1: ("lenient", "recover the missed"),
    0: ("balanced", "balance both errors"),
}


def measure(agent: PolicyAgent, rows: Rows) -> PolicyEvaluation:
    """Let an agent decide about the rows of train and test."""
    wrong = _wrong(agent, rows["train"])
    accepted = [_vector(row) for row in wrong if row.label == "reject"]
    missed = [_vector(row) for row in wrong if row.label == "accept"]
    return PolicyEvaluation(
        round(1 - len(wrong) / len(rows["train"]), 3),
        1 - len(_wrong(agent, rows["test"])) / len(rows["test"]),
        len(accepted),
        len(missed),
        _means(accepted),
        _means(missed),
    )


def breed(parent: ArchivedPolicy, rows: Rows, iteration: int, *, adaptive: bool) -> ArchivedPolicy:
    """Make the child of a parent, measure it, and adapt its meta policy.

    Args:
        parent: The parent.
        rows: What it is measured on.
        iteration: Its number, from 1.
        adaptive: Whether the meta policy changes its own numbers. A frozen one is the seed's but
            for its focus and memory, which change in every condition, as published.
    """
    meta = parent.agent.meta_policy if adaptive else MetaPolicy()
    force = pressures(parent.evaluation, rows["train"])
    focus = max(FEATURES, key=lambda name: force[name]) if force else meta.focus_metric
    meta = replace(meta, focus_metric=focus)
    errors = parent.evaluation.false_positives - parent.evaluation.false_negatives
    tilt = (errors > 0) - (errors < 0)
    task = _moved(parent.agent, meta, force, tilt, iteration)
    if adaptive:
        meta = _adapted(meta, force.get(focus, 0.0), uneven=errors != 0)
    note = _TILTS[tilt][1]
    meta = replace(meta, memory=(*meta.memory, note)[-MOST_REMEMBERED:])
    child = PolicyAgent(
        f"agent-{iteration:03d}", parent.agent.agent_id, parent.agent.generation + 1, task, meta
    )
    evaluation = measure(child, rows)
    gain = round(evaluation.train_accuracy - parent.evaluation.train_accuracy, 3)
    if adaptive:
        scale = meta.exploration_scale + (-0.02 if gain > 0 else 0.05)
        meta = replace(meta, exploration_scale=bounded(scale, "exploration_scale"))
    told = f"{child.agent_id}: {note}, focus {focus}, train {gain:+.3f}"
    notes = (*parent.agent.lineage_notes, told)[-MOST_LINEAGE:]
    child = replace(child, meta_policy=meta, lineage_notes=notes)
    return ArchivedPolicy(child, evaluation, iteration)


def pressures(evaluation: PolicyEvaluation, train: Sequence[Row]) -> dict[str, float]:
    """Return how much each weight should grow; empty where nothing is wrong."""
    if not evaluation.false_positives and not evaluation.false_negatives:
        return {}
    good = _means([_vector(row) for row in train if row.label == "accept"])
    bad = _means([_vector(row) for row in train if row.label == "reject"])
    accepted, missed = evaluation.false_positive_means, evaluation.false_negative_means
    return {
        name: round(max(0, good[at] - accepted[at]) + _MISSED * max(0, missed[at] - bad[at]), 4)
        for at, name in enumerate(FEATURES)
    }


def _moved(
    parent: PolicyAgent, meta: MetaPolicy, force: Mapping[str, float], tilt: int, iteration: int
) -> TaskPolicy:
    """Return the task policy of a child; `tilt` is the sign of false positives over negatives."""
    weights: dict[str, float] = {}
    for at, name in enumerate(FEATURES):
        key = f"{parent.agent_id}|{name}|{at}|{iteration}"
        drawn = random.Random(key).uniform(-1, 1)  # noqa: S311 - no secret
        noise = drawn * meta.exploration_scale * _NOISE
        pull = _PULL * meta.weight_step * (name == meta.focus_metric)
        step = force.get(name, 0.0) * meta.weight_step + noise + pull
        weights[name] = bounded(parent.task_policy.weights[name] + step, "weights")
    threshold = parent.task_policy.threshold + tilt * meta.threshold_step
    return TaskPolicy(weights, bounded(threshold, "threshold"), _TILTS[tilt][0])


def _adapted(meta: MetaPolicy, pressure: float, *, uneven: bool) -> MetaPolicy:
    weak = pressure < _WEAK
    step, scale = (0.015, 0.03) if weak else (-0.005, 0.0)
    tilt = 0.005 if uneven else -0.005
    return replace(
        meta,
        weight_step=bounded(meta.weight_step + step, "weight_step"),
        exploration_scale=bounded(meta.exploration_scale + scale, "exploration_scale"),
        threshold_step=bounded(meta.threshold_step + tilt, "threshold_step"),
    )


def _wrong(agent: PolicyAgent, rows: Sequence[Row]) -> list[Row]:
    rule = agent.task_policy.rule()
    return [row for row in rows if (rule.excess(_vector(row)) >= 0) != (row.label == "accept")]


def _vector(row: Row) -> Vector:
    return tuple(row.inputs[name] for name in FEATURES)


def _means(vectors: Sequence[Vector]) -> Vector:
    if not vectors:
        return (0.0,) * len(FEATURES)
    return tuple(round(sum(column) / len(vectors), 4) for column in zip(*vectors, strict=True))
