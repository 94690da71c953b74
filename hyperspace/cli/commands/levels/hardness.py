"""The best code of every run of a set before the final adversarial suite of its seed."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import anyio

from guards.sandboxes.choose import choose
from guards.sandboxes.sandbox import Sandbox
from hyperspace.cli.commands.levels.planning import LevelMember, LevelSet, LevelSetting
from hyperspace.cli.seed_play import answer_test
from hyperspace.extensions.arena.finished import best_solver, standing_cases
from hyperspace.kernel.evaluation.evaluator import CandidateFailed
from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import best_of
from hyperspace.kernel.state.opening import reading
from hyperspace.launch.run_models import resolve_models
from hyperspace.launch.trust import load_domain
from hyperspace.tasks.shapes.cases import HasOracle, TaskCase
from replication.level_comparison.comparing import Hardness
from replication.level_comparison.names import ARENA
from replication.level_comparison.suite import final_suite, share_right


def hardness_of(levels: LevelSet) -> dict[str, Hardness]:
    """Return how each run's best code does on the final suite of its seed, by the run's folder.

    The suite of a seed is what stands of the arenas of other seeds, so with one seed, and on tasks
    without arenas, there is none. Nothing of it was shown to anybody before.

    Raises:
        SandboxUnavailable: There is no sandbox that may run the code.
    """
    cases = {key: standing_cases(arena.folder) for key, arena in levels.arenas.items()}
    hardness: dict[str, Hardness] = {}
    for (setting, seed), members in levels.by_seed().items():
        others = [
            own for (of, name, other), own in cases.items()
            if (of, name) == (setting, ARENA) and other != seed
        ]  # fmt: skip
        met = [own for (of, _, other), own in cases.items() if (of, other) == (setting, seed)]
        hardness |= _of_seed(setting, members, others, met)
    return hardness


def _of_seed(
    setting: LevelSetting,
    members: list[LevelMember],
    others: list[list[TaskCase]],
    met: list[list[TaskCase]],
) -> Iterator[tuple[str, Hardness]]:
    """Yield the hardness of the runs of one seed."""
    options = members[0].options
    domain = load_domain(options)
    if not others or not isinstance(domain, HasOracle):
        return
    suite = final_suite(domain, domain, others, met)
    if not suite:
        return
    with_suite = domain.with_cases({"test": suite})
    is_ours = resolve_models((setting.model,), options.eval_model).all_offline
    sandbox: Sandbox = choose(options.sandbox, needs_boundary=not is_ours).sandbox
    for member in members:
        answers: Mapping[str, str] = {}
        with suppress(CandidateFailed):  # nothing is right then
            answers = anyio.run(answer_test, with_suite, sandbox, best_code(member.folder))
        yield str(member.folder), Hardness(share_right(suite, answers), len(suite))


def best_code(run: Path) -> dict[str, str]:
    """Return the code that a finished run of a level ends with, path to text."""
    config = read_record_of(run).configuration
    if config.arena is not None:
        return best_solver(run).code
    (agent,) = config.agents
    with reading(RunFolder(run), config) as marks:
        manifests = (closing.manifest for closing in marks.closings(agent))
        best = best_of(each for each in manifests if isinstance(each.generation, int))
        return {} if best is None else marks.code(agent, int(best.generation))
