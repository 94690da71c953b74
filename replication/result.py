"""What a solo run came to, read from its space: for tables, for JSON, for summary.json."""

from collections.abc import Mapping
from typing import Any, Protocol, cast

import msgspec

from hyperspace.kernel.evaluation.evaluate import mean_score
from hyperspace.kernel.events import Nothing
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import TEST, Ensemble, Manifest, RunEnd
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.launch.setup import Setup
from hyperspace.summaries.outcome import AgentResult, RunTally, tally, without_unused
from hyperspace.tasks.base import Domain, Split


class SoloResult(msgspec.Struct, frozen=True, kw_only=True):
    """Result of a solo run; the published fields of a summary first.

    Attributes:
        seed: The run seed.
        max_generations: Generations after generation 0.
        archive_size: Generations that exist, failed ones included.
        best_gen: The one with the best fitness, the earliest of equals; None if none was scored.
            Fitness is of its validation score, of its ensemble's, or of both, as `optimise` says.
        best_val_score: Its own validation score.
        test_accuracy: Its score on the sealed test split.
        test_mae: Its mean absolute error there, where labels lie on a scale from 0 to 1; of
            several passes the mean.
        initial_val_score: Validation score of generation 0; where only its staged pass was run,
            the score of that, the rest counted as wrong.
        imp_at_k: By how much the best validation score is better than the initial one.
        test_exposed: Whether the test split was looked at before the last generation was closed.
        arm: Name of the arm's folder.
        run: The run folder.
        digest: Equal for equal runs (see `hyperspace.kernel.state.digest`).
        seconds: Wall time of all closed generations.
        agents: The one agent, in the form that other runs have.
        ensemble: The ensemble of the best generation; None where fitness is the agent's alone.
        violations: How many things the guard refused; what a policy only flagged is none.
        was_finished: True when the run was found finished and no work was done.
        ended: Its end before its last generation; None where it has none.
        nothing: What is said of each agent that came to nothing, by its name.
        came_to_nothing: Whether its agent came to nothing (`hyperspace.kernel.views.nothing`).
    """

    seed: int
    max_generations: int
    archive_size: int
    best_gen: int | None
    best_val_score: float | None
    test_accuracy: float | None
    test_mae: float | None
    initial_val_score: float | None
    imp_at_k: float | None
    test_exposed: bool
    arm: str
    run: str
    digest: str
    seconds: float
    agents: tuple[AgentResult, ...]
    violations: int
    ensemble: Ensemble | None = None
    was_finished: bool = False
    nothing: dict[str, Nothing] = {}
    ended: RunEnd | None = None
    came_to_nothing: bool = False

    def fields(self) -> dict[str, Any]:
        """Return the fields that are about the run itself."""
        fields: dict[str, Any] = msgspec.to_builtins(self)
        del fields["was_finished"]
        return without_unused(fields)


class _Scaled(Protocol):
    def mean_absolute_error(self, split: Split, predictions: Mapping[str, str]) -> float | None: ...


def compose(setup: Setup, marks: RunMarks, was_finished: bool) -> SoloResult:
    """Put a result together from an open space."""
    outcome = tally(marks)
    result, own = _in_space(setup.folder, marks, outcome), outcome.agents[marks.config.agents[0]]
    gain = None
    if result.initial_val_score is not None and result.best_val_score is not None:
        sign = 1 if setup.domain.higher_is_better else -1
        gain = round(sign * (result.best_val_score - result.initial_val_score), 12)
    return msgspec.structs.replace(
        result,
        test_mae=None if own.final is None else _error(setup.domain, own.final),
        imp_at_k=gain,
        was_finished=was_finished,
    )


def fields_in_space(folder: RunFolder, marks: RunMarks) -> dict[str, Any]:
    """Return the fields of a result that are known without the domain's data."""
    fields = _in_space(folder, marks, tally(marks)).fields()
    del fields["test_mae"], fields["imp_at_k"]
    return fields


def _in_space(folder: RunFolder, marks: RunMarks, outcome: RunTally) -> SoloResult:
    config = marks.config
    (name,) = config.agents
    own = outcome.agents[name]
    agent, initial = own.result(), None
    if own.first is not None and own.first.valid:
        scored = own.first.splits.get("val") or own.first.splits.get("train")
        initial = None if scored is None else scored.score
    return SoloResult(
        seed=config.seed,
        max_generations=config.generations,
        archive_size=own.closed,
        best_gen=agent.best_generation,
        best_val_score=agent.best_val,
        test_accuracy=agent.test,
        test_mae=None,
        initial_val_score=initial,
        imp_at_k=None,
        test_exposed=marks.was_tested_before(name) or own.tested_early,
        arm="" if config.solo is None else config.solo.arm,
        run=str(folder.root),
        digest=outcome.digest,
        seconds=outcome.seconds,
        agents=(agent,),
        violations=outcome.refused,
        nothing=outcome.nothing,
        ended=outcome.ended,
        came_to_nothing=outcome.came_to_nothing,
        ensemble=None if own.best is None else own.best.ensemble,
    )


def _error(domain: Domain, final: Manifest) -> float | None:
    test = final.splits.get(TEST)
    if test is None or not hasattr(domain, "mean_absolute_error"):
        return None
    scaled = cast("_Scaled", domain)
    errors = [scaled.mean_absolute_error(TEST, answers.predictions) for answers in test.passes]
    finite = [error for error in errors if error is not None]
    return mean_score(finite) if finite else None
