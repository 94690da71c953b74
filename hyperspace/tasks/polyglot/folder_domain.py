"""Polyglot on exercises of a person's own folder, judged by the unit tests that lie there.

The tests run in one process with the answer, which could count for itself: such scores are
unsealed, and say so. Nothing of a test gets to an agent, but whether all of them were right.
"""

from importlib import resources
from pathlib import Path
from typing import Any

from hyperspace.tasks.base import SPLITS, DomainDataError, Item, Split
from hyperspace.tasks.graded import GradedDomain
from hyperspace.tasks.package_files import seed_files
from hyperspace.tasks.polyglot.folder import FolderExercise, read_exercises
from hyperspace.tasks.shapes.outcome import Outcome
from hyperspace.tasks.shapes.verified import Execution, Runner
from hyperspace.tasks.streams import stream
from hyperspace.tasks.strict_json import parse_strictly

CPU_S = 20
OUTPUT_CHARACTERS = 200_000
SHARE = 0.3  # of the exercises, for validation and for test each
DRIVER = "unit_tests.py"
FORM = """\
Write the file {file} in {language}, with its standard library alone. Unit tests which you do not
see import it; all of them have to be right, in {cpu_s} CPU seconds.

{statement}

The file now holds:

{stub}"""


class FolderPolyglot(GradedDomain):
    """Exercises of a folder; implements `VerifiedBySandbox`."""

    tools: tuple[str, ...] = ()

    def __init__(self, root: Path, languages: str, rows_seed: int) -> None:
        """Read the folder.

        Args:
            root: Holds LANG/exercises/practice/NAME.
            languages: Joined by commas; empty for those that can run.
            rows_seed: Decides which exercise is in which split.

        Raises:
            DomainDataError: The folder is malformed, has fewer than three exercises, or a language
                cannot run here.
        """
        exercises = read_exercises(root, languages)
        splits = split_by_name({exercise.name for exercise in exercises}, root, rows_seed)
        self._exercises: dict[str, FolderExercise] = {}
        items: dict[Split, list[Item]] = {split: [] for split in SPLITS}
        for exercise in exercises:
            split = splits[exercise.name]
            id_ = f"{split}-{len(items[split]) + 1:04}"
            self._exercises[id_] = exercise
            items[split].append(Item(id_, _inputs(exercise)))
        smoke = FolderExercise("", exercises[0].language, "Return 6.", "six.py", "", {}, 0)
        readme = resources.files("hyperspace.tasks.polyglot") / "README_folder.md"
        super().__init__(
            "polyglot",
            items,
            smoke_inputs=_inputs(smoke),
            metric="share of exercises solved (unsealed)",
            sealed=[self._exercises[item.id] for split in SPLITS for item in items[split]],
            calls_model=True,
            seed_files=seed_files("polyglot"),
            task_files={"README.md": readme.read_bytes()},
        )

    async def verify_in_sandbox(self, item: Item, artefact: str, run: Runner) -> Outcome:
        """Run the unit tests on an answer; see `VerifiedBySandbox`."""
        exercise = self._exercises[item.id]
        if not artefact.strip():
            return Outcome(0.0, "the answer is empty")
        driver = (resources.files("hyperspace.tasks.polyglot") / DRIVER).read_bytes()
        files = {name: text.encode() for name, text in exercise.tests.items()}
        files |= {exercise.file: artefact.encode("utf-8", "replace"), DRIVER: driver}
        modules = [name.removesuffix(".py") for name in exercise.tests]
        executed = await run(
            Execution(
                files=files,
                steps=(("{python}", "-s", "-S", DRIVER, *modules),),
                cpu_s=CPU_S,
                output_characters=OUTPUT_CHARACTERS,
            )
        )
        if executed.error:
            return Outcome(0.0, executed.error)
        return judge_count(executed.stdout, exercise.test_count)


def split_by_name(names: set[str], root: Path, rows_seed: int) -> dict[str, Split]:
    """Deal exercises out by their names, so that no two splits have one in any language.

    Raises:
        DomainDataError: There are fewer than three.
    """
    if len(names) < len(SPLITS):
        raise DomainDataError(
            f"polyglot: {root} has {len(names)} exercises that can run; three splits need three"
        )
    order = sorted(names)
    stream("polyglot", rows_seed, "folder").shuffle(order)
    count = max(1, int(SHARE * len(order)))
    splits: dict[str, Split] = dict.fromkeys(order, "train")
    for place, name in enumerate(order[: 2 * count]):
        splits[name] = "val" if place < count else "test"
    return splits


def judge_count(stdout: str, expected: int) -> Outcome:
    """Read how many tests ran and went wrong, which the last line says."""
    try:
        count = parse_strictly(stdout.rstrip("\n").rpartition("\n")[2])
        run, wrong = int(count["run"]), int(count["wrong"])
    except (ValueError, TypeError, KeyError, OverflowError):
        return Outcome(0.0, "the tests did not come to their end")
    details = {"tests": expected, "run": run, "wrong": wrong}
    if wrong or run < expected:
        return Outcome(0.0, "not all unit tests are right", details=details)
    return Outcome(1.0, "all unit tests are right (unsealed: they ran beside it)", details=details)


def _inputs(exercise: FolderExercise) -> dict[str, Any]:
    form = FORM.format(cpu_s=CPU_S, **exercise._asdict())
    return {"problem_statement": form, "language": exercise.language, "cases": []}
