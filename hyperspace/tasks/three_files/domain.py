"""A folder with config.toml, initial_solution.py and benchmark.py as a domain.

The benchmark imports or runs the solution in one process, so a solution could print the figure
itself: the scores are unsealed, and say so. There is one item, and no split that agents do not see.
"""

import math
from collections.abc import Mapping
from pathlib import Path

from hyperspace.tasks.base import SPLITS, Domain, Item, leaf_of
from hyperspace.tasks.graded import GradedDomain
from hyperspace.tasks.options import NoOptions, read_options, refuse_data
from hyperspace.tasks.shapes.limited import AnswerLimits
from hyperspace.tasks.shapes.outcome import Outcome
from hyperspace.tasks.shapes.verified import Execution, Runner
from hyperspace.tasks.three_files.folder import BENCHMARK, SOLUTION, TaskFolder, read_folder
from hyperspace.tasks.three_files.scoring import read_value, worth
from hyperspace.tasks.three_files.texts import LONGEST_ANSWER, seed_agent, task_files

UNSEALED = "unsealed: the solution runs beside its benchmark"
_FAILED = "the benchmark failed: "
_NO_FIGURE = "the benchmark printed no line "


class ThreeFilesDomain(GradedDomain):
    """A task in three files; see `VerifiedBySandbox`."""

    tools: tuple[str, ...] = ()

    def __init__(self, task: TaskFolder) -> None:
        """Keep the task."""
        config = task.config
        self._task = task
        inputs = {"domain": config.name, "task": config.prompt, "file": SOLUTION}
        super().__init__(
            config.name,
            {split: [Item(f"{split}-benchmark", inputs)] for split in SPLITS},
            smoke_inputs=inputs,
            metric=f"score by {config.metric} (unsealed)",
            sealed={
                "metric": [config.metric, config.higher_is_better, config.perfect_score],
                "timeout": config.timeout,
                "files": {path: data.hex() for path, data in sorted(task.beside.items())},
            },
            staged_items=1,
            seed_files={"task_agent.py": seed_agent(task.solution).encode()},
            task_files=task_files(task),
            answer_limits=AnswerLimits(characters=LONGEST_ANSWER),
        )

    async def verify_in_sandbox(self, item: Item, artefact: str, run: Runner) -> Outcome:
        """Run the benchmark on a solution and read the figure that it prints."""
        config = self._task.config
        solution = artefact.encode("utf-8", "replace")
        executed = await run(
            Execution(
                files={**self._task.beside, SOLUTION: solution},
                steps=(("{python}", BENCHMARK, SOLUTION),),
                cpu_s=math.ceil(config.timeout),
            )
        )
        if executed.error:
            return Outcome(0.0, f"{_FAILED}{executed.error}")
        value = read_value(executed.stdout, config.metric)
        if value is None:
            return Outcome(0.0, f"{_NO_FIGURE}{config.metric}:VALUE")
        score = worth(value, config.perfect_score, config.higher_is_better)
        reason = f"{config.metric} is {value:g} ({UNSEALED})"
        return Outcome(score, reason, details={"value": value})

    def benchmark_error(self, outcome: Outcome) -> str:
        """Return why the benchmark ended without a figure; empty where it printed one."""
        return outcome.reason if outcome.reason.startswith((_FAILED, _NO_FIGURE)) else ""


def brings_code(domain: Domain) -> bool:
    """Return whether a domain or a part of it runs code of a folder, maybe a stranger's."""
    leaves = (leaf_of(domain, item).domain for split in SPLITS for item in domain.items(split))
    return any(isinstance(leaf, ThreeFilesDomain) for leaf in leaves)


def three_files(folder: Path, data: Path | None, options: Mapping[str, str]) -> ThreeFilesDomain:
    """Make the domain of a folder.

    Raises:
        DomainDataError: A file is missing or wrong, or data or an option are given.
    """
    task = read_folder(folder)
    read_options(task.config.name, options, NoOptions)
    refuse_data(task.config.name, data)
    return ThreeFilesDomain(task)
