"""The folder of a task in three files, read and checked."""

import math
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from domains.base import DomainDataError

CONFIG, INITIAL, BENCHMARK = "config.toml", "initial_solution.py", "benchmark.py"
SOLUTION = "solution.py"
LARGEST_BYTES = 4 * 1024**2  # of all files that lie beside the solution
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
    """Read a folder.

    Raises:
        DomainDataError: A file is missing, is not what it should be, or all are too large.
    """
    missing = [name for name in (CONFIG, INITIAL, BENCHMARK) if not (folder / name).is_file()]
    if missing:
        raise DomainDataError(
            f"{folder} lacks {', '.join(missing)}; a task in three files has {CONFIG}, {INITIAL} "
            f"and {BENCHMARK}"
        )
    try:
        config = msgspec.convert(tomllib.loads((folder / CONFIG).read_text("utf-8")), TaskConfig)
        solution = (folder / INITIAL).read_text("utf-8")
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        fields = ", ".join(TaskConfig.__struct_fields__)
        raise DomainDataError(f"{folder / CONFIG}: {error}; its fields are {fields}") from error
    except UnicodeDecodeError as error:
        raise DomainDataError(f"{folder}: {CONFIG} and {INITIAL} are UTF-8 texts") from error
    _check_config(folder, config)
    _check_solution(folder / INITIAL, solution)
    return TaskFolder(config, solution, _read_beside(folder))


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
        compile(solution, path.name, "exec")
    except (SyntaxError, ValueError) as error:
        raise DomainDataError(f"{path} cannot be compiled: {error}") from error
    if re.search(r"^class TaskAgent\b", solution, re.MULTILINE):
        raise DomainDataError(f"{path} has a class TaskAgent, which is added to it; rename it")


def _read_beside(folder: Path) -> dict[str, bytes]:
    paths = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and not _is_apart(path.relative_to(folder))
    )
    size = sum(path.stat().st_size for path in paths)
    if size > LARGEST_BYTES:
        raise DomainDataError(
            f"{folder}: the files beside the solution have {size:,} bytes; at most "
            f"{LARGEST_BYTES:,} can be given to a benchmark"
        )
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def _is_apart(path: Path) -> bool:
    """Return whether a file is not for the benchmark."""
    hidden = any(part.startswith(".") or part == "__pycache__" for part in path.parts)
    return hidden or path.as_posix() in (CONFIG, INITIAL, SOLUTION)
