"""What an arena has come to, for those who go on with it: its standing cases, its best solver."""

from pathlib import Path
from typing import NamedTuple

from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.state.closings import every_closing
from hyperspace.kernel.state.config import RunConfig, read_record_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import best_of
from hyperspace.kernel.state.opening import reading
from hyperspace.tasks.shapes.cases import TaskCase


class BestSolver(NamedTuple):
    """The solver that an arena ends with.

    Attributes:
        agent: Its name.
        generation: Number of its kept generation.
        val_score: Accuracy on the live suite of the last round that it played.
        code: Path to text of its files.
    """

    agent: str
    generation: int
    val_score: float
    code: dict[str, str]


def standing_cases(run: Path) -> list[TaskCase]:
    """Return every case that stands in an arena, in the order of rounds and testers' names.

    Raises:
        RunUsageError: There is no arena in this folder.
    """
    config = _arena_of(run)
    with reading(RunFolder(run), config) as marks:
        closings = list(every_closing(marks, config.agents))
    played = [c.manifest for c in closings if isinstance(c.manifest.generation, int)]
    played.sort(key=lambda each: (int(each.generation) + config.joined(each.agent), each.agent))
    return [case.case() for manifest in played for case in manifest.cases if case.stands]


def best_solver(run: Path) -> BestSolver:
    """Return the best solver that has not fallen, the earliest of equals, with its kept code.

    Raises:
        RunUsageError: There is no arena in this folder, or no solver of it was ever scored.
    """
    config, best = _arena_of(run), None
    fallen = {fork.replaces for fork in config.forks}
    with reading(RunFolder(run), config) as marks:
        for agent in config.agents:
            if config.member(agent).role != "solver" or agent in fallen:
                continue
            manifests = (closing.manifest for closing in marks.closings(agent))
            kept = best_of(m for m in manifests if isinstance(m.generation, int))
            score = None if kept is None else kept.score("val")
            if kept is None or score is None or (best is not None and score <= best.val_score):
                continue
            generation = int(kept.generation)
            best = BestSolver(agent, generation, score, marks.code(agent, generation))
    if best is None:
        raise RunUsageError(f"no solver in {run} was ever scored on validation")
    return best


def _arena_of(run: Path) -> RunConfig:
    config = read_record_of(run).configuration
    if config.arena is None:
        raise RunUsageError(f"{run} is no arena; hyperspace arena plays one")
    return config
