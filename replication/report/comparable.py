"""Whether runs may be compared: what they differ in beside the arm, and what that forbids."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from hyperspace.reporting.lines import numbered
from hyperspace.runs.records import Run
from replication.report.records import Arm, Condition, Held, Measure

# Scores of other items are not scores of the same thing. Test stays whole with --eval-samples.
ITEMS: Final[dict[Measure, tuple[str, ...]]] = {
    "val": ("data_sha256", "eval_samples"),
    "test": ("data_sha256",),
    "area": ("data_sha256", "eval_samples"),
    "time_to": ("data_sha256", "eval_samples"),
}
# What makes a control at equal cost: who plays in it. The best of N has a generation for each
# candidate of its arm.
_OWN: Final = {
    "best_of_n": ("generations",),
    "copies": ("models", "fleet.members", "fleet.schedule"),
    "alone": ("models", "generations", "fleet.members", "fleet.schedule"),
}
_LABELS: Final = {
    "eval_model": "model of task agents",
    "data_sha256": "data",
    "eval_samples": "items of train and of validation",
    "eval_repeats": "evaluations of each item",
    "generations": "generations asked for",
    "initial_sha256": "code to start from",
    "fleet.measure": "measure that was set",
    "solo.optimise": "what fitness is of",
    "solo.staged": "staged evaluation",
    "solo.eval_test": "test of every generation",
    "solo.ensemble_size": "most members of an ensemble",
}
WEIGHTS: Final = "weights"
_PLACES: Final = {"visible": "what agents see of ", "policies": "policy ", WEIGHTS: "weights of "}
_HASH: Final = re.compile(r"[0-9a-f]{64}")


def differing(arms: Sequence[Arm]) -> list[Condition]:
    """Return the conditions that are not the same in all runs, and the terms within one arm.

    Arms differ in their terms because that is what makes them arms; the seeds of one must not.
    """
    within = (_conditions([(arm, run, _terms(run)) for run in arm.runs]) for arm in arms)
    return [*_everywhere(arms), *(condition for conditions in within for condition in conditions)]


def differs_in(first: Arm, second: Arm) -> tuple[str, ...]:
    """Return the names of the conditions that are not the same in all runs of two arms."""
    return tuple(condition.name for condition in _everywhere((first, second)))


def alike(first: Run, second: Run) -> bool:
    """Return whether two runs agree in every condition that both tell."""
    both = first.conditions.keys() & second.conditions.keys()
    return all(first.conditions[name] == second.conditions[name] for name in both)


def repeated(arms: Sequence[Arm]) -> Iterator[str]:
    """Name the scores that are means of several evaluations of every item."""
    for arm in arms:
        passes = {run.conditions.get("eval_repeats", "1") for run in arm.runs} - {"1"}
        if passes:
            yield f"{arm.name}: each score is a mean of {' or '.join(sorted(passes))} evaluations."


def weights(arms: Sequence[Arm]) -> Iterator[str]:
    """Name the weights behind each model that a server near a run told of."""
    told: dict[str, dict[str, None]] = {}
    for run in (run for arm in arms for run in arm.runs):
        for name, value in run.conditions.items():
            if name.startswith(f"{WEIGHTS}."):
                told.setdefault(name.partition(".")[2], {})[value] = None
    yield from (f"{model}: {' or '.join(values)}." for model, values in sorted(told.items()))


def label(name: str) -> str:
    """Return the words for a condition."""
    group, _, last = name.partition(".")
    return _LABELS.get(name) or _PLACES.get(group, "") + (last or name)


def shown_value(value: str) -> str:
    """Return a value as it is shown: of a hash its begin."""
    return f"{value[:12]}..." if _HASH.fullmatch(value) else value or "(empty)"


def configuration_of(run: Run) -> dict[str, str]:
    """Return everything that a run was asked for: its arm's terms, then its conditions."""
    return {**_terms(run), **run.conditions}


def cautions(conditions: Sequence[Condition], arms: Sequence[Arm]) -> Iterator[str]:
    """Name what is not alike, and the arms whose runs do not repeat one another."""
    seeds = {arm.name: len(arm.runs) for arm in arms}
    for condition in conditions:
        values: list[str] = []
        for held in condition.values:
            who = "; ".join(
                arm if len(mine) == seeds[arm] else f"{arm} {numbered('seed', mine)}"
                for arm, mine in held.runs.items()
            )
            values.append(f"{shown_value(held.value)} ({who})")
        yield f"Not run alike: {label(condition.name)}: {' and '.join(values)}."
    for arm in arms:
        names = [
            condition.name
            for condition in conditions
            if sum(arm.name in held.runs for held in condition.values) > 1
        ]
        if names:
            yield (
                f"The seeds of {arm.name} differ in {', '.join(map(label, names))}: they do not "
                "repeat one and the same run, so their median and its interval mix several."
            )
    if any(
        len({arm for held in condition.values for arm in held.runs}) > 1 for condition in conditions
    ):
        yield "A difference between arms may come from what was not run alike, not from the arms."


def _everywhere(arms: Sequence[Arm]) -> Iterator[Condition]:
    rows: list[tuple[Arm, Run, Mapping[str, str]]] = []
    for arm in arms:
        own = _OWN.get(arm.control, ())
        rows += [
            (arm, run, {name: v for name, v in run.conditions.items() if name not in own})
            for run in arm.runs
        ]
    return _conditions(rows)


def _conditions(rows: Sequence[tuple[Arm, Run, Mapping[str, str]]]) -> Iterator[Condition]:
    names = dict.fromkeys(name for _, _, conditions in rows for name in conditions)
    for name in names:
        values: dict[str, dict[str, tuple[int, ...]]] = {}
        for arm, run, conditions in rows:
            if name in conditions:  # a source that does not say is not said to differ
                runs = values.setdefault(conditions[name], {})
                runs[arm.name] = (*runs.get(arm.name, ()), run.seed)
        if len(values) > 1:
            yield Condition(name, tuple(Held(value, runs) for value, runs in values.items()))


def _terms(run: Run) -> dict[str, str]:
    return {
        f"terms.{name}": value if isinstance(value, str) else msgspec.json.encode(value).decode()
        for name, value in run.terms.items()
        if f"solo.{name}" not in run.conditions
    }
