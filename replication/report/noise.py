"""The noise floor: how far scores lie apart where nothing but chance differs."""

from collections.abc import Iterable, Iterator, Sequence

from replication.report.comparable import alike
from replication.report.grouping import reference_of
from replication.report.records import Arm, Noise
from replication.report.statistics.median import median
from runs.records import RunAgent


def noise_of(arms: Sequence[Arm]) -> list[Noise]:
    """Return what is known of the noise floor, from A/A arms and from code evaluated again."""
    found: list[Noise] = []
    for arm in arms:
        reference = reference_of(arm, arms) if arm.control == "aa" else None
        if reference is not None:
            source = f"{arm.name} against {reference.name} (A/A), best validation score by seed"
            found.extend(_noise(source, _between(arm, reference)))
    agents = [agent for arm in arms for run in arm.runs for agent in run.agents]
    again = [step for agent in agents for step in _evaluated_again(agent)]
    return [*found, *_noise("the same code, every file of it, evaluated again in a run", again)]


def _noise(source: str, differences: Iterable[float]) -> Iterator[Noise]:
    sizes = [round(abs(difference), 9) for difference in differences]
    if sizes:
        yield Noise(source, len(sizes), median(sizes), max(sizes))


def _between(arm: Arm, reference: Arm) -> Iterator[float]:
    """Differences by seed; where more than chance differs, they say nothing of chance."""
    others = {run.seed: run for run in reference.runs}
    for run in arm.runs:
        other = others.get(run.seed)
        if other is None or not alike(run, other):
            continue
        if run.best_val is not None and other.best_val is not None:
            yield run.best_val - other.best_val


def _evaluated_again(agent: RunAgent) -> Iterator[float]:
    """Differences between evaluations of one code; the staged pass alone is another measure."""
    last: dict[str, float] = {}
    for found in agent.generations:
        if not found.valid or found.val is None or found.full_eval is False:
            continue
        if found.code_sha256 is not None:
            if found.code_sha256 in last:
                yield found.val - last[found.code_sha256]
            last[found.code_sha256] = found.val
