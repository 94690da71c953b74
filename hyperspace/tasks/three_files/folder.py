"""The folder of a task in three files, read and checked."""

import math
import re
import tomllib
from collections.abc import Mapping
from itertools import islice
from pathlib import Path

import msgspec

from guards.parsing import check_python, parse_toml
from hyperspace.tasks.base import DomainDataError

CONFIG, INITIAL, BENCHMARK = "config.toml", "initial_solution.py", "benchmark.py"
SOLUTION = "solution.py"
LARGEST_BYTES = 4 * 1024**2  # of all files that lie beside the solution
MOST_FILES = 1000
LARGEST_CONFIG, LARGEST_INITIAL = 16_000, 200_000  # bytes; readers of deep nesting are slow
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_METRIC = re.compile(r"\w[\w .%/-]{0,39}")


class TaskConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """config.toml.

    Attributes:
        name: The domain's name.
        metric: Name of the figure that the benchmark prints, as `metric:value`.
        prompt: What is asked, for agents.
        higher_is_better: Direction of the figure.
        perfect_score: The figure that cannot or need not be passed; None if there is none.
        timeout: CPU seconds of one run of the benchmark.
    """

    name: str
    metric: str
    prompt: str
    higher_is_better: bool = True
    perfect_score: float | None = None
    timeout: float = 60.0


class TaskFolder(msgspec.Struct, frozen=True):
    """A task in three files.

    Attributes:
        config: What config.toml says.
        solution: Code of the first solution.
        beside: The benchmark, and files of the folder that it may need; path to content.
    """

    config: TaskConfig
    solution: str
    beside: Mapping[str, bytes]


def read_folder(folder: Path) -> TaskFolder:
    """Read a folder; it may be a stranger's, and what it links to is not handed on.

    Raises:
        DomainDataError: A file is missing, is not what it should be, or all are too large.
    """
    missing = [name for name in (CONFIG, INITIAL, BENCHMARK) if not (folder / name).is_file()]
    if missing:
        raise DomainDataError(
            f"{folder} lacks {', '.join(missing)}; a task in three files has {CONFIG}, {INITIAL} "
            f"and {BENCHMARK}"
        )
    config, solution = _read_config(folder / CONFIG), _read_text(folder / INITIAL, LARGEST_INITIAL)
    _check_config(folder, config)
    _check_solution(folder / INITIAL, solution)
    return TaskFolder(config, solution, _read_beside(folder))


def _read_config(path: Path) -> TaskConfig:
    text = _read_text(path, LARGEST_CONFIG)
    try:
        return msgspec.convert(parse_toml(text.encode()), TaskConfig)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        fields = ", ".join(TaskConfig.__struct_fields__)
        raise DomainDataError(f"{path}: {error}; its fields are {fields}") from error


def _read_text(path: Path, most_bytes: int) -> str:
    _refuse_link(path)
    if path.stat().st_size > most_bytes:
        raise DomainDataError(f"{path} has more than {most_bytes:,} bytes")
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise DomainDataError(f"{path} is no UTF-8 text: {error}") from error
    except OSError as error:
        raise DomainDataError(f"{path} cannot be read: {error.strerror}") from error


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        raise DomainDataError(
            f"{path} is a link; agents and their models read what lies in this folder, so copy "
            "what they may read"
        )


def _check_config(folder: Path, config: TaskConfig) -> None:
    problem = ""
    if not _NAME.fullmatch(config.name):
        problem = f"the name {config.name!r} is not of lower-case letters, digits and underscores"
    elif not _METRIC.fullmatch(config.metric):
        problem = f"the metric {config.metric!r} is no name on one line"
    elif not 0 < config.timeout <= 3600:
        problem = f"the timeout {config.timeout} is not above 0 and at most 3600 s"
    elif config.perfect_score is not None and not math.isfinite(config.perfect_score):
        problem = f"the perfect_score {config.perfect_score} is not finite"
    elif not config.prompt.strip():
        problem = "the prompt is empty"
    if problem:
        raise DomainDataError(f"{folder / CONFIG}: {problem}")


def _check_solution(path: Path, solution: str) -> None:
    try:
        check_python(solution, path.name)
    except SyntaxError as error:
        raise DomainDataError(f"{path} cannot be compiled: {error}") from error
    if re.search(r"^class TaskAgent\b", solution, re.MULTILINE):
        raise DomainDataError(f"{path} has a class TaskAgent, which is added to it; rename it")


def _read_beside(folder: Path) -> dict[str, bytes]:
    inside = (path for path in folder.rglob("*") if not _is_apart(path.relative_to(folder)))
    paths = sorted(islice((path for path in inside if path.is_file()), MOST_FILES + 1))
    if len(paths) > MOST_FILES:
        raise DomainDataError(f"{folder} has more than {MOST_FILES:,} files")
    for path in paths:
        _refuse_link(path)
        if not str(path.relative_to(folder)).isprintable():
            raise DomainDataError(
                f"the name of a file in {folder} cannot be printed: {path.name!r}"
            )
    size = sum(path.stat().st_size for path in paths)
    if size > LARGEST_BYTES:
        raise DomainDataError(
            f"{folder}: the files beside the solution have {size:,} bytes; at most "
            f"{LARGEST_BYTES:,} can be given to a benchmark"
        )
    try:
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    except OSError as error:
        raise DomainDataError(f"{error.filename} cannot be read: {error.strerror}") from error


def _is_apart(path: Path) -> bool:
    """Return whether a file is not for the benchmark."""
    hidden = any(part.startswith(".") or part == "__pycache__" for part in path.parts)
    return hidden or path.as_posix() in (CONFIG, INITIAL, SOLUTION)
