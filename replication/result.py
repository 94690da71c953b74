"""What a solo run came to, read from its space: for tables, for JSON, for summary.json."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, cast

import msgspec

from domains.base import Domain, Split
from evolution.digest import digest_of
from evolution.launch.setup import Setup
from evolution.manifest import TEST, Closing, Ensemble, Manifest
from evolution.marks import RunMarks
from evolution.opening import reading
from evolution.outcome import AgentResult, agent_result, violations_in, write_run_summary


class SoloResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a solo run came to; the published fields of a summary first.

    Attributes:
        seed: The run seed.
        max_generations: Generations after generation 0.
        archive_size: Generations that exist, failed ones included.
        best_gen: The one with the best validation score, the earliest of equals; None if none was
            scored.
        best_val_score: Its validation score.
        test_accuracy: Its score on the sealed test split.
        test_mae: Its mean absolute error there, where labels lie on a scale from 0 to 1.
        initial_val_score: Validation score of generation 0; where only its staged pass was run,
            the score of that, the rest counted as wrong.
        imp_at_k: By how much the best validation score is better than the initial one.
        test_exposed: Whether the test split was looked at before the last generation was closed.
        arm: Name of the arm's folder.
        run: The run folder.
        digest: Equal for equal runs (see `evolution.digest`).
        seconds: Wall time of all closed generations.
        agents: The one agent, in the form that other runs have.
        ensemble: The ensemble of the best generation; None where fitness is the agent's alone.
        violations: How many things the guard refused; what a policy only flagged is none.
        was_finished: True when the run was found finished and no work was done.
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


class _Scaled(Protocol):
    def mean_absolute_error(self, split: Split, predictions: Mapping[str, str]) -> float | None: ...


def read_result(setup: Setup, *, was_finished: bool) -> SoloResult:
    """Read a finished run's result."""
    with reading(setup.folder, setup.config) as marks:
        return compose(setup, marks, was_finished=was_finished)


def compose(setup: Setup, marks: RunMarks, *, was_finished: bool = False) -> SoloResult:
    """Put a result together from an open space."""
    config = setup.config
    closings = marks.closings(config.agents[0])
    agent = agent_result(config.agents[0], config.models[0], closings)
    initial = _initial(closings)
    final = next((c.manifest for c in closings if c.manifest.generation == TEST), None)
    return SoloResult(
        seed=config.seed,
        max_generations=config.generations,
        archive_size=sum(closing.manifest.generation != TEST for closing in closings),
        best_gen=agent.best_generation,
        best_val_score=agent.best_val,
        test_accuracy=agent.test,
        test_mae=None if final is None else _error(setup.domain, final),
        initial_val_score=initial,
        imp_at_k=_improvement(setup.domain, initial, agent.best_val),
        test_exposed=marks.was_tested_before(config.agents[0])
        or any(_looks_at_test(closing.manifest) for closing in closings),
        arm="" if config.solo is None else config.solo.arm,
        run=str(setup.folder.root),
        digest=digest_of(closing.manifest for closing in closings),
        seconds=round(sum(closing.seconds for closing in closings), 3),
        agents=(agent,),
        violations=violations_in(closings),
        ensemble=_ensemble(closings, agent.best_generation),
        was_finished=was_finished,
    )


def write_summary(
    setup: Setup, result: SoloResult, marks: RunMarks, took: Mapping[str, Any]
) -> None:
    """Write the run's summary.json; see `evolution.outcome`."""
    write_run_summary(setup.folder, fields_of(result), marks, took)


def fields_of(result: SoloResult) -> dict[str, Any]:
    """What a result says of the run itself."""
    fields: dict[str, Any] = msgspec.to_builtins(result)
    del fields["was_finished"]
    return fields


def _ensemble(closings: Sequence[Closing], best: int | None) -> Ensemble | None:
    found = (c.manifest.ensemble for c in closings if c.manifest.generation == best)
    return next(found, None)


def _looks_at_test(manifest: Manifest) -> bool:
    return manifest.generation != TEST and TEST in manifest.splits


def _initial(closings: Sequence[Closing]) -> float | None:
    first = closings[0].manifest
    compared = first.splits.get("val") or first.splits.get("train")
    return compared.score if first.valid and compared is not None else None


def _improvement(domain: Domain, initial: float | None, best: float | None) -> float | None:
    if initial is None or best is None:
        return None
    gain = best - initial
    return round(gain if domain.higher_is_better else -gain, 12)


def _error(domain: Domain, final: Manifest) -> float | None:
    test = final.splits.get(TEST)
    if test is None or not hasattr(domain, "mean_absolute_error"):
        return None
    return cast("_Scaled", domain).mean_absolute_error(TEST, test.predictions)
