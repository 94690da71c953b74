"""Builds the polyglot domain from its options: exercises times languages."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

import msgspec

from hyperspace.tasks.base import SPLITS, Item, Split
from hyperspace.tasks.graded import GradedDomain
from hyperspace.tasks.options import RowsSeed, read_options
from hyperspace.tasks.package_files import seed_files, task_files
from hyperspace.tasks.polyglot.cases import SealedCases, draw_cases, judge
from hyperspace.tasks.polyglot.catalogue import EXERCISES, exercise
from hyperspace.tasks.polyglot.folder_domain import FolderPolyglot
from hyperspace.tasks.polyglot.languages import LANGUAGES, choose_languages
from hyperspace.tasks.shapes.outcome import Outcome
from hyperspace.tasks.shapes.verified import Execution, Runner

CPU_S = 5
OUTPUT_CHARACTERS = 200_000
FORM = """\
Write a program in {language}, in one source file ({file}) with its standard library alone. It reads
its standard input to the end. Each line of it is one case: the input of the case as JSON. For each
case, in their order, it prints one line: the answer to the case as JSON. (JSON null, true and false
are meant where this text says so; spaces between the parts of an answer do not matter.) All cases
together have {cpu_s} CPU seconds.

"""
SMOKE = "The input is an integer. The answer is twice the integer."


class PolyglotOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The options of polyglot, as they stand after the `?` of its name.

    Attributes:
        languages: Names joined by commas; empty for Python, and JavaScript where Node is found; of
            a folder, for those whose tests can run.
        rows_seed: Seed of the cases; of a folder, of its splits.
    """

    languages: str = ""
    rows_seed: RowsSeed = 1


class Task(NamedTuple):
    """What decides an item's score, which no agent sees.

    Attributes:
        exercise: Its name.
        language: Language of the answer.
        inputs: Those of the sealed cases, as lines.
        answers: Theirs.
    """

    exercise: str
    language: str
    inputs: tuple[str, ...]
    answers: tuple[str, ...]


def make(data: Path | None, options: Mapping[str, str]) -> "PolyglotDomain | FolderPolyglot":
    """Make the domain; equal options and languages give equal items everywhere.

    Args:
        data: A folder of exercises, LANG/exercises/practice/NAME; None for our own.
        options: See `PolyglotOptions`.

    Raises:
        DomainDataError: An option is unknown, its value does not fit, a language's tools are
            missing, or the folder is malformed.
    """
    chosen = read_options("polyglot", options, PolyglotOptions)
    if data is not None:
        return FolderPolyglot(data, chosen.languages, chosen.rows_seed)
    return PolyglotDomain(choose_languages(chosen.languages), chosen.rows_seed)


class PolyglotDomain(GradedDomain):
    """Exercises whose answers are programs; implements `VerifiedBySandbox` and `Renewable`."""

    def __init__(self, languages: tuple[str, ...], rows_seed: int) -> None:
        """Draw the cases.

        Args:
            languages: Those of the answers.
            rows_seed: Seed of the cases.
        """
        self._rows_seed = rows_seed
        self._tasks: dict[str, Task] = {}
        items: dict[Split, list[Item]] = {split: [] for split in SPLITS}
        for split, names in EXERCISES.items():
            for name in names:
                cases = draw_cases(exercise(name), rows_seed)
                for language in languages:
                    id_ = f"{split}-{len(items[split]) + 1:04}"
                    items[split].append(self._add(id_, name, language, cases))
        smoke = (("3", "6"), ("-4", "-8"))
        super().__init__(
            "polyglot",
            items,
            smoke_inputs=_inputs(SMOKE, languages[0], smoke),
            metric="share of exercises solved",
            sealed=[self._tasks[item.id] for split in SPLITS for item in items[split]],
            calls_model=True,
            seed_files=seed_files("polyglot"),
            task_files=task_files("polyglot"),
        )

    @property
    def tools(self) -> tuple[str, ...]:
        """Programs of the host that executions need; see `VerifiedBySandbox`."""
        used = dict.fromkeys(task.language for task in self._tasks.values())
        return tuple(tool for language in used for tool in LANGUAGES[language].tools)

    async def verify_in_sandbox(self, item: Item, artefact: str, run: Runner) -> Outcome:
        """Run a program on the sealed cases; see `VerifiedBySandbox`."""
        task = self._tasks[item.id]
        if not artefact.strip():
            return Outcome(0.0, "the answer is empty")
        language = LANGUAGES[task.language]
        executed = await run(
            Execution(
                files={language.file: artefact.encode("utf-8", "replace")},
                steps=language.steps,
                stdin="".join(f"{line}\n" for line in task.inputs),
                cpu_s=CPU_S,
                output_characters=OUTPUT_CHARACTERS,
            )
        )
        return judge(executed, task.answers)

    def renewed(self, epoch: int) -> Self:
        """The same validation exercises with other cases; see `Renewable`.

        The exercises themselves are the same in all epochs: there are no others.
        """
        if epoch == 0:
            return self
        domain = self.with_items({})
        domain._tasks = dict(self._tasks)
        items: list[Item] = []
        for number, item in enumerate(self.items("val"), 1):
            task = self._tasks[item.id]
            cases = draw_cases(exercise(task.exercise), self._rows_seed, epoch)
            items.append(domain._add(f"val-{epoch}-{number:04}", *task[:2], cases))
        return domain.with_items({"val": items})

    def _add(self, id_: str, name: str, language: str, cases: SealedCases) -> Item:
        self._tasks[id_] = Task(name, language, cases.inputs, cases.answers)
        return Item(id_, _inputs(exercise(name).statement, language, cases.public))


def _inputs(statement: str, language: str, cases: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    form = FORM.format(language=language, file=LANGUAGES[language].file, cpu_s=CPU_S)
    return {
        "problem_statement": form + statement,
        "language": language,
        "cases": [{"input": given, "output": answer} for given, answer in cases],
    }
