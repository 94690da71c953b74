"""What evolves, and what is known of it once it was measured.

Numbers are rounded to 3 decimals and stay within their bounds, as published.
"""

from typing import Final, Literal

import msgspec

from hyperspace.tasks.repository_rows import FEATURES, SEED_RULE, LinearRule, Vector

Style = Literal["balanced", "strict", "lenient"]
STYLE_OFFSETS: Final[dict[Style, float]] = {"balanced": 0.0, "strict": 0.09, "lenient": -0.09}
BOUNDS: Final[dict[str, tuple[float, float]]] = {
    "weights": (0.25, 1.8),
    "threshold": (2.4, 4.2),
    "weight_step": (0.04, 0.22),
    "threshold_step": (0.03, 0.14),
    "exploration_scale": (0.05, 0.45),
}


def bounded(value: float, name: str) -> float:
    """Return the nearest value that a number of this name may have, with 3 decimals."""
    low, high = BOUNDS[name]
    return round(min(high, max(low, value)), 3)


class TaskPolicy(msgspec.Struct, frozen=True):
    """What decides whether a repository is accepted."""

    weights: dict[str, float] = msgspec.field(
        default_factory=lambda: dict(zip(FEATURES, SEED_RULE.weights, strict=True))
    )
    threshold: float = SEED_RULE.threshold
    review_style: Style = "balanced"

    def rule(self) -> LinearRule:
        """Return the rule that it comes to."""
        weights = tuple(self.weights[name] for name in FEATURES)
        return LinearRule(weights, self.threshold + STYLE_OFFSETS[self.review_style])


class MetaPolicy(msgspec.Struct, frozen=True):
    """How a child is made of its parent.

    Attributes:
        memory: The last notes, as many as `MOST_REMEMBERED` of `operator`.
    """

    focus_metric: str = "security"
    weight_step: float = 0.12
    threshold_step: float = 0.07
    exploration_scale: float = 0.18
    memory: tuple[str, ...] = ()


class PolicyAgent(msgspec.Struct, frozen=True):
    """One record that was made.

    Attributes:
        agent_id: `agent-NNN`, counted by iterations.
        lineage_notes: What was done to it and to its ancestors, the latest last.
    """

    agent_id: str = "agent-000"
    parent_id: str | None = None
    generation: int = 0
    task_policy: TaskPolicy = TaskPolicy()
    meta_policy: MetaPolicy = MetaPolicy()
    lineage_notes: tuple[str, ...] = ()


class PolicyEvaluation(msgspec.Struct, frozen=True):
    """What an agent gets right.

    Attributes:
        train_accuracy: Its fitness; a share with 3 decimals.
        test_accuracy: A share.
        false_positives: Of train, how many were accepted wrongly.
        false_negatives: Of train, how many were rejected wrongly.
        false_positive_means: Means of the features over those, in the order of `FEATURES`; zeros
            where there are none.
        false_negative_means: The same of the others.
    """

    train_accuracy: float
    test_accuracy: float
    false_positives: int
    false_negatives: int
    false_positive_means: Vector
    false_negative_means: Vector


class ArchivedPolicy(msgspec.Struct, frozen=True):
    """An agent in the archive, as it was measured in the iteration that made it."""

    agent: PolicyAgent
    evaluation: PolicyEvaluation
    iteration: int

    @property
    def rank(self) -> tuple[float, float, int]:
        """The published order of entries: test decides ties, and then the later one wins."""
        evaluation = self.evaluation
        return evaluation.train_accuracy, evaluation.test_accuracy, self.iteration
