"""Names of runs beside each other: the arm and the seed, and whatever else tells them apart."""

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from runs.records import Run


def titles_of(runs: Sequence[Run]) -> list[str]:
    """Name each run among the others.

    Domain and experiment are named where there are several, and where that is not enough, copies of
    one run, so is the folder.
    """
    domains = len({run.domain for run in runs}) > 1
    experiments = len({run.experiment for run in runs}) > 1
    titles = [
        "/".join(filter(None, (run.domain * domains, run.experiment * experiments, run.arm)))
        + f" seed {run.seed}"
        for run in runs
    ]
    times = Counter(titles)
    sources = [run.source for run in runs]
    if len(set(sources)) > 1:
        shared = os.path.commonpath(sources)
        sources = [str(Path(source).relative_to(shared)) for source in sources]
    return [
        title if times[title] == 1 else f"{title} ({source})"
        for title, source in zip(titles, sources, strict=True)
    ]
