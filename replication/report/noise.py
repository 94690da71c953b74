"""The noise floor: how far scores lie apart where nothing but chance differs."""

from collections.abc import Iterable, Iterator, Sequence

from replication.report.comparable import alike
from replication.report.grouping import reference_of
from replication.report.records import Arm, Noise
from replication.report.statistics.median import median
from runs.records import RunAgent


def noise_of(arms: Sequence[Arm]) -> list[Noise]:
    """Return what is known of the noise floor, from A/A arms and from code evaluated again."""
    floors: list[Noise] = []
    for arm in arms:
        reference = reference_of(arm, arms) if arm.control == "aa" else None
        if reference is not None:
            source = f"{arm.name} against {reference.name} (A/A), best validation score by seed"
            others = {run.seed: run for run in reference.runs}
            differences = (
                run.best_val - other.best_val
                for run in arm.runs
                if (other := others.get(run.seed)) is not None
                and alike(run, other)  # where more than chance differs, they say nothing of chance
                and run.best_val is not None
                and other.best_val is not None
            )
            floors.extend(_noise(source, differences))
    agents = [agent for arm in arms for run in arm.runs for agent in run.agents]
    again = [step for agent in agents for step in _evaluated_again(agent)]
    return [*floors, *_noise("the same code, every file of it, evaluated again in a run", again)]


def _noise(source: str, differences: Iterable[float]) -> Iterator[Noise]:
    sizes = [round(abs(difference), 9) for difference in differences]
    if sizes:
        yield Noise(source, len(sizes), median(sizes), max(sizes))


def _evaluated_again(agent: RunAgent) -> Iterator[float]:
    """Differences between evaluations of one code; the staged pass alone is another measure."""
    last: dict[str, float] = {}
    for row in agent.generations:
        if not row.valid or row.val is None or row.full_eval is False:
            continue
        if row.code_sha256 is not None:
            if row.code_sha256 in last:
                yield row.val - last[row.code_sha256]
            last[row.code_sha256] = row.val
