"""The description of a research environment: env.toml, read and checked.

hyperspace/research/environments/fit_line/env.toml is one.
"""

import math
import tomllib
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec

from guards.parsing import parse_toml
from guards.sandboxes.packages import check_packages
from guards.sandboxes.sandbox import Limits
from guards.scope.edit_scope import is_plain, matches_nothing
from guards.scope.regular_files import Unreadable, read_whole
from hyperspace.research.errors import EnvironmentUnusable

CONFIG: Final = "env.toml"
PYTHON: Final = "python"
_MEGABYTE: Final = 1024**2
_SHOWN: Final = 200  # characters of a path
_OWN_PROCESSES: Final = 8  # of the sandbox itself
ArtefactFormat = Literal["json", "safetensors", "text"]
Goal = Literal["max", "min"]
# Unset where there are none, so that an environment without any is known by what it was.
Packages = tuple[str, ...] | msgspec.UnsetType
Constant = bool | int | float | str
_Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_]{0,39}\Z")]
_Words = Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
_Seconds = Annotated[float, msgspec.Meta(gt=0, le=86_400)]
_CpuSeconds = Annotated[int, msgspec.Meta(ge=1, le=86_400)]
_Megabytes = Annotated[int, msgspec.Meta(ge=1, le=65_536)]


class RepositoryTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What evolves.

    Attributes:
        path: Folder of the repository, from where env.toml lies.
        frozen: Patterns of paths that no diff may touch, as edit scopes have them.
        shown: Patterns of paths whose content ideators are shown.
        common: Folders, from where env.toml lies, whose files lie in the repository, frozen, and
            beside the evaluation: a model that both must know. Unset for none.
    """

    path: str = "."
    frozen: tuple[str, ...] = ()
    shown: tuple[str, ...] = ("**",)
    common: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET


class ArtefactTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file that a job leaves.

    Attributes:
        format: What it must be; none of them executes anything when it is read.
        max_mb: Largest size, in MiB.
    """

    format: ArtefactFormat
    max_mb: Annotated[float, msgspec.Meta(gt=0, le=1024)] = 16.0

    @property
    def most_bytes(self) -> int:
        """Largest size."""
        return int(self.max_mb * _MEGABYTE)


_Cards = Annotated[int, msgspec.Meta(ge=0, le=1)] | msgspec.UnsetType


class JobTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a job runs.

    Attributes:
        command: The command line; `python` stands for the sandbox's interpreter.
        artefacts: What it must leave, by path in the repository.
        packages: Python packages of the host that it needs beside the standard library.
        gpus: Graphics cards that it has for itself: one, or none.
    """

    command: _Words
    artefacts: Annotated[dict[str, ArtefactTable], msgspec.Meta(min_length=1)]
    packages: Packages = msgspec.UNSET
    gpus: _Cards = msgspec.UNSET


class BudgetTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one job may take. Enforced by the host and by its program inside, never by the job.

    Attributes:
        wall_s: Seconds of the wall clock; only stops what hangs.
        cpu_s: CPU seconds, of all processes of the job together.
        memory_mb: Address space of each process, and memory of all, in MiB; with a graphics card,
            whose driver maps far more addresses, what a process may write to itself.
        disk_mb: What the workspace and the private tmp may hold each, in MiB.
        processes: Processes and threads at a time; 1 starts none.
    """

    wall_s: _Seconds = 600.0
    cpu_s: _CpuSeconds = 300
    memory_mb: _Megabytes = 2048
    disk_mb: _Megabytes = 64
    processes: Annotated[int, msgspec.Meta(ge=1, le=256)] = 1

    def limits(self) -> Limits:
        """Return the bounds of a sandbox that keeps to the budget."""
        return Limits(
            wall_s=self.wall_s + GRACE_S,
            cpu_s=self.cpu_s + int(GRACE_S),
            memory_bytes=self.memory_mb * _MEGABYTE,
            processes=self.processes + _OWN_PROCESSES,
            disk_bytes=self.disk_mb * _MEGABYTE,
        )


class HeldOutTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What judges the winner and the repository as it is once, when the search is over.

    Nothing of it is in any job before, so no idea is chosen by it, and no score tells of it.

    Attributes:
        path: Folder with further sealed data, from where env.toml lies. Its files lie beside those
            of the evaluation, and in place of those that have their names.
        command: The command line; unset for that of the evaluation. It prints the same metric.
    """

    path: str
    command: _Words | msgspec.UnsetType = msgspec.UNSET


class EvaluationTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How what a job leaves is judged, in a sandbox of its own.

    Attributes:
        path: Folder with the frozen code and the sealed data, from where env.toml lies; no job and
            no model ever sees it.
        command: The command line. The job's artefacts lie below `artefacts/`; the last line that it
            prints is a JSON object.
        metric: Name of the score in that object.
        goal: Whether a larger score is better, or a smaller one.
        digits: Decimal places that are reproducible; the score is rounded to them.
        budget: What it may take.
        packages: Python packages of the host that it needs beside the standard library.
        gpus: Graphics cards that it has for itself: one, or none.
        held_out: How the winner is judged at the end, with the same budget, packages and cards;
            unset for not at all.
    """

    path: str
    command: _Words
    metric: Annotated[str, msgspec.Meta(min_length=1, max_length=80)]
    goal: Goal = "max"
    digits: Annotated[int, msgspec.Meta(ge=0, le=12)] = 4
    budget: BudgetTable = BudgetTable()
    packages: Packages = msgspec.UNSET
    gpus: _Cards = msgspec.UNSET
    held_out: HeldOutTable | msgspec.UnsetType = msgspec.UNSET


class DataTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A folder of a person's own, which lies at /opt/data/NAME where it is read.

    Attributes:
        about: What it is to hold, for the person who gives it.
        read_by: Who sees it; the held-out evaluation sees all that the evaluation does.
        needed: Whether nothing goes without it.
    """

    about: Annotated[str, msgspec.Meta(min_length=1)]
    read_by: Literal["job", "evaluation", "both", "held_out"] = "job"
    needed: bool = True


class EnvironmentTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole of env.toml.

    Attributes:
        name: Names the environment in results.
        about: One or two sentences for models and people: what is trained, and what counts.
        repository: What evolves.
        job: What a job runs.
        evaluation: How it is judged.
        budget: What a job may take.
        reference: A score that is known from elsewhere, for people.
        data: Folders of a person's own that jobs read, by name; unset for none.
        constants: Numbers and words that constants at the top of files of the repository have
            instead of what stands there, by file and name; unset for none.
    """

    name: _Name
    job: JobTable
    evaluation: EvaluationTable
    about: str = ""
    repository: RepositoryTable = RepositoryTable()
    budget: BudgetTable = BudgetTable()
    reference: float | None = None
    data: dict[_Name, DataTable] | msgspec.UnsetType = msgspec.UNSET
    constants: dict[str, dict[str, Constant]] | msgspec.UnsetType = msgspec.UNSET


GRACE_S: Final = 30.0
"""Between the bound that the program inside keeps, and tells, and the one that only ends things."""


class Description(msgspec.Struct, frozen=True):
    """An environment as it is described, with its folders found.

    Attributes:
        table: What env.toml says.
        repository: Folder of the repository.
        sealed: Folder of the evaluation.
        config: The env.toml.
        held_out: Folder of the held-out evaluation; None where there is none.
    """

    table: EnvironmentTable
    repository: Path
    sealed: Path
    config: Path
    held_out: Path | None = None

    @property
    def common(self) -> tuple[Path, ...]:
        """Folders whose files both the repository and the evaluation hold."""
        return tuple(self.config.parent / path for path in self.table.repository.common or ())

    def is_better(self, score: float, than: float) -> bool:
        """Return whether a score is better than another."""
        return is_better(self.table.evaluation.goal, score, than)


def is_better(goal: Goal, score: float, than: float) -> bool:
    """Return whether a score is better than another."""
    return score > than if goal == "max" else score < than


def read_description(
    folder: Path, config: Path | None = None, scale: str | None = None
) -> Description:
    """Read an environment's description.

    Args:
        folder: Where env.toml lies; with a `config` elsewhere, the repository itself.
        config: The env.toml, where it does not lie in the folder.
        scale: Which of its `[scales.NAME]` says otherwise than the rest; None for none.

    Raises:
        EnvironmentUnusable: Something is missing or does not fit; says what.
    """
    if not folder.is_dir():
        what = "is not a directory" if folder.exists() else "does not exist"
        raise EnvironmentUnusable(f"--env {folder} {what}; name a folder with {CONFIG}")
    path = config or folder / CONFIG
    table = _read_table(path, scale)
    _check(path, table)
    home = path.parent
    repository = folder if config is not None else home / table.repository.path
    sealed = home / table.evaluation.path
    held_out = home / table.evaluation.held_out.path if table.evaluation.held_out else None
    named = [("repository.path", repository), ("evaluation.path", sealed)]
    if held_out is not None:
        named.append(("evaluation.held_out.path", held_out))
    named += [("repository.common", home / path) for path in table.repository.common or ()]
    for what, each in named:
        if not _is_directory(each):
            raise EnvironmentUnusable(
                f"{path}: {what} names {str(each)[:_SHOWN]}, which is not a directory"
            )
    for hidden in filter(None, (sealed, held_out)):
        if repository.resolve().is_relative_to(hidden.resolve()):
            raise EnvironmentUnusable(
                f"{path}: the repository {repository} lies in the sealed folder {hidden}, so that "
                "every job would see the evaluation; move one of them"
            )
    if held_out is not None and sealed.resolve().is_relative_to(held_out.resolve()):
        raise EnvironmentUnusable(
            f"{path}: evaluation.path names {sealed}, which lies in the held-out folder, so that "
            "the search would be judged on what is held out; give them folders apart"
        )
    return Description(table, repository, sealed, path, held_out)


def _is_directory(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # no name of a file: too long
        return False


def _read_table(path: Path, scale: str | None) -> EnvironmentTable:
    try:
        values: dict[str, Any] = parse_toml(read_whole(path))
    except Unreadable as error:
        raise EnvironmentUnusable(
            f"{path} {error}; hyperspace/research/environments/fit_line has one"
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise EnvironmentUnusable(f"{path} is not TOML: {error}") from error
    try:
        scales = msgspec.convert(values.pop("scales", {}), dict[_Name, dict[str, Any]])
        table = msgspec.convert(values, EnvironmentTable)
        if scale is None:
            return table
        if scale not in scales:
            there = ", ".join(sorted(scales)) or "none"
            raise EnvironmentUnusable(
                f"{path} has no scale {scale!r}; those that it has: {there}. Leave --scale out for "
                "the environment as it is"
            )
        said: dict[str, Any] = {"name": f"{table.name}_{scale}", **scales[scale]}
        return msgspec.convert(_merged(values, said), EnvironmentTable)
    except msgspec.ValidationError as error:
        raise EnvironmentUnusable(f"{path}: {error}") from error


def _merged(values: dict[str, Any], said: dict[str, Any]) -> dict[str, Any]:
    """Return tables of which one says otherwise than another, each by itself."""
    merged = dict(values)
    for name, value in said.items():
        before: Any = values.get(name)
        both = type(before) is type(value) is dict
        merged[name] = _merged(before, value) if both else value
    return merged


def _check(path: Path, table: EnvironmentTable) -> None:
    for name in table.job.artefacts:
        if not is_plain(name):
            raise EnvironmentUnusable(
                f"{path}: the artefact {name!r} is no plain relative path of the repository"
            )
    for pattern in (*table.repository.frozen, *table.repository.shown):
        if matches_nothing(pattern):
            raise EnvironmentUnusable(
                f"{path}: the pattern {pattern!r} matches no path of a repository; patterns look "
                "like 'train.py', '*.py' or 'tools/**'"
            )
    for named in (table.job.packages, table.evaluation.packages):
        if why := check_packages(named or ()):
            raise EnvironmentUnusable(f"{path}: packages: {why}")
    room = table.budget.disk_mb * _MEGABYTE
    needed = sum(artefact.most_bytes for artefact in table.job.artefacts.values())
    if needed > room:
        raise EnvironmentUnusable(
            f"{path}: the artefacts may have {needed:,} bytes together, and budget.disk_mb leaves "
            f"{room:,}; raise it or lower max_mb"
        )
    if needed > (evaluated := table.evaluation.budget.disk_mb * _MEGABYTE):
        raise EnvironmentUnusable(
            f"{path}: the artefacts may have {needed:,} bytes together, and "
            f"evaluation.budget.disk_mb leaves {evaluated:,}; raise it or lower max_mb"
        )
    if table.reference is not None and not math.isfinite(table.reference):
        raise EnvironmentUnusable(f"{path}: reference is {table.reference}, which is no score")
