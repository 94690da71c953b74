"""The noise floor: how far scores lie apart where nothing but chance differs."""

from collections.abc import Iterable, Iterator, Sequence

from hyperspace.runs.records import RunAgent
from replication.report.comparable import alike
from replication.report.grouping import reference_of
from replication.report.measures import value_of
from replication.report.records import MEASURES, Arm, Measure, Noise
from replication.report.statistics.median import median


def noise_of(arms: Sequence[Arm], measure: Measure = "val") -> list[Noise]:
    """Return what is known of the noise floor, from A/A arms and from code evaluated again.

    Of another measure than validation scores only A/A arms tell.
    """
    floors: list[Noise] = []
    for arm in arms:
        reference = reference_of(arm, arms) if arm.control == "aa" else None
        if reference is not None:
            source = f"{arm.name} against {reference.name} (A/A), {MEASURES[measure]} by seed"
            others = {run.seed: run for run in reference.runs}
            differences = (
                here - there
                for run in arm.runs
                if (other := others.get(run.seed)) is not None
                and alike(run, other)  # where more than chance differs, they say nothing of chance
                and (here := value_of(run, measure)) is not None
                and (there := value_of(other, measure)) is not None
            )
            floors.extend(_noise(source, measure, differences))
    if measure != "val":
        return floors
    agents = [agent for arm in arms for run in arm.runs for agent in run.agents]
    again = [step for agent in agents for step in _evaluated_again(agent)]
    source = "the same code, every file of it, evaluated again in a run"
    return [*floors, *_noise(source, measure, again)]


def _noise(source: str, measure: Measure, differences: Iterable[float]) -> Iterator[Noise]:
    sizes = [round(abs(difference), 9) for difference in differences]
    if sizes:
        yield Noise(source, measure, len(sizes), median(sizes), max(sizes))


def _evaluated_again(agent: RunAgent) -> Iterator[float]:
    """Differences between evaluations of one code; the staged pass alone is another measure."""
    last: dict[str, float] = {}
    for row in agent.generations:
        if not row.valid or row.val is None or row.full_eval is False:
            continue
        if row.results_of is not None:  # taken over, and no second evaluation
            continue
        if row.code_sha256 is not None:
            if row.code_sha256 in last:
                yield row.val - last[row.code_sha256]
            last[row.code_sha256] = row.val
