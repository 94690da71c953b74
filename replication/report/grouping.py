"""Runs into experiments and arms; which arms are controls, and of what."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from hyperspace.reporting.lines import counted
from hyperspace.runs.records import Run
from replication.report.records import Arm

CONTROLS: Final = {
    "aa": "A/A: the same arm with other random numbers",
    "best_of_n": "best of N: independent changes of the seed at equal budget",
    "placebo": "placebo: an agent's own past, shown as a peer's",
    "shuffled_advice": "shuffled advice: a reviewer's word on another run of the same task",
    "shuffled": "shuffled: strategies with each other's scores",
    "none": "no sharing: nothing of any peer is shown",
    "copies": "copies: as many agents, all on one of the models; nothing is shared",
    "alone": "alone: one agent on one of the models, with the generations of all",
}
_CONTROL: Final = re.compile(rf"(?:^|[^a-z0-9])({'|'.join(CONTROLS)})(?:$|[^a-z0-9])")


class Experiment(NamedTuple):
    """Runs that may be compared."""

    domain: str
    name: str
    arms: tuple[Arm, ...]
    notes: tuple[str, ...]

    @property
    def higher_is_better(self) -> bool | None:
        """Which way is up, as the first run that says so has it; None if none does."""
        told = (run.higher_is_better for arm in self.arms for run in arm.runs)
        return next((higher for higher in told if higher is not None), None)

    @property
    def unit(self) -> str:
        """What its generations are called."""
        return self.arms[0].runs[0].unit


def experiments_of(runs: Iterable[Run]) -> list[Experiment]:
    """Sort runs into experiments, in the order in which they come first."""
    groups: dict[tuple[str, str], dict[str, list[Run]]] = {}
    for run in runs:
        groups.setdefault((run.domain, run.experiment), {}).setdefault(run.arm, []).append(run)
    experiments: list[Experiment] = []
    for (domain, name), by_arm in groups.items():
        arms: list[Arm] = []
        for arm, members in by_arm.items():
            by_seed = {run.seed: run for run in reversed(members)}  # the first of equal seeds
            kept = tuple(by_seed[seed] for seed in sorted(by_seed))
            arms.append(Arm(arm, control_of(kept[0]), kept))
        arms.sort(key=lambda arm: (bool(arm.control), arm.name))
        notes = dict.fromkeys(line for members in by_arm.values() for line in _notes(members))
        experiments.append(Experiment(domain, name, tuple(arms), tuple(notes)))
    return experiments


def control_of(run: Run) -> str:
    """Which control a run is; empty for none.

    An A/A run has another stream of random numbers, a fleet says what its agents are shown; where
    neither is told, the arm's name says it.
    """
    if run.stream:
        return "aa"
    if "equal_cost" in run.terms:
        return str(run.terms["equal_cost"])
    if "show" in run.terms:  # what a fleet's agents see of each other
        return str(run.terms.get("arm", "")) if run.terms.get("arm") in CONTROLS else ""
    match = _CONTROL.search(run.arm.lower().replace("-", "_"))
    return match[1] if match and len(run.agents) == 1 else ""


def reference_of(control: Arm, arms: Sequence[Arm]) -> Arm | None:
    """Return the arm that an A/A arm repeats; None where that cannot be told, or it is not here."""
    others = [arm for arm in arms if not arm.control]
    terms = control.runs[0].terms
    same = [arm for arm in others if terms and arm.runs[0].terms == terms]
    if terms:  # an arm with other terms is not repeated, even if it is the only one
        others = [arm for arm in others if not arm.runs[0].terms]
    plain = re.sub(r"(^|_)aa(_|$)", "", control.name)
    named = [arm for arm in others if arm.name == plain]
    for candidates in (same, named, others):
        if len(candidates) == 1:
            return candidates[0]
    return next((arm for arm in others if arm.name == "arm_a_full"), None)


def _notes(runs: Sequence[Run]) -> Iterable[str]:
    for seed, count in sorted(Counter(run.seed for run in runs).items()):
        if count > 1:
            yield f"{runs[0].arm} seed {seed} is there {count} times; the first one counts"
    for run in runs:
        prefix = "" if run.in_table else f"{run.arm} seed {run.seed}: "
        yield from (prefix + note for note in run.notes)
        if run.best_val is None:
            yield f"{run.arm} seed {run.seed}: no validation score is known, so it is not counted"
        for agent in run.agents:
            last = max((row.generation for row in agent.generations), default=0)
            if agent.planned is not None and last < agent.planned:
                who = f" of {agent.name}" if agent.name and len(run.agents) > 1 else ""
                plan = counted(agent.planned, run.unit)
                yield f"{run.arm} seed {run.seed}: {last} of {plan}{who}; what is there counts"
