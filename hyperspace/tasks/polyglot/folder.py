"""Reads a folder of exercises as Exercism lays them out: LANG/exercises/practice/NAME."""

import ast
import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import msgspec

from guards.parsing import decode_json, parse_python
from guards.scope.regular_files import Unreadable, read_given
from hyperspace.tasks.base import DomainDataError

PRACTICE = "exercises/practice"
CONFIG = ".meta/config.json"
# Why tests of a language do not run: nothing but Python's standard library is in the sandbox.
NO_RUNNER = {
    "cpp": "its tests need CMake and Catch2",
    "go": "its tests need the Go toolchain",
    "java": "its tests need Gradle and JUnit",
    "javascript": "its tests need jest",
    "rust": "its tests need cargo",
}
RUNNERS = ("python",)
_MODULE = re.compile(r"[A-Za-z_]\w*\.py")


class ExerciseFiles(msgspec.Struct, frozen=True):
    """Paths in an exercise.

    Attributes:
        solution: What an answer replaces; one file.
        test: Its tests, which no agent sees.
        example: Right answers, which no agent sees either.
    """

    solution: tuple[str, ...]
    test: tuple[str, ...]
    example: tuple[str, ...] = ()


class ExerciseConfig(msgspec.Struct, frozen=True):
    """What we read of an exercise's `.meta/config.json`; it may say more."""

    files: ExerciseFiles


class FolderExercise(NamedTuple):
    """An exercise of a folder.

    Attributes:
        name: Of its folder; languages have it in common.
        language: Of its answers.
        statement: Its documents, one after the other.
        file: Path of the solution.
        stub: What stands there before it is solved.
        tests: Path to text of each test.
        test_count: How many tests there are at least.
    """

    name: str
    language: str
    statement: str
    file: str
    stub: str
    tests: dict[str, str]
    test_count: int


def read_exercises(root: Path, wanted: str) -> list[FolderExercise]:
    """Read the exercises of some languages, by name and then language.

    Args:
        root: Holds a folder a language.
        wanted: Languages joined by commas; empty for those that can run and are there.

    Raises:
        DomainDataError: Files are missing or malformed, or a language cannot run; names file and
            key.
    """
    folders = {path.parent.parent.name: path for path in sorted(root.glob(f"*/{PRACTICE}"))}
    names = tuple(dict.fromkeys(wanted.split(","))) if wanted else tuple(folders)
    for name in names:
        if name not in folders:
            there = ", ".join(folders) or "none"
            raise DomainDataError(
                f"polyglot: no folder {root / name / PRACTICE}; languages there: {there}"
            )
    can_run = tuple(name for name in names if name in RUNNERS)
    refused = [name for name in names if name not in RUNNERS]
    if not can_run or (wanted and refused):
        raise DomainDataError(f"polyglot: {_refusal(root, refused)}")
    exercises = [
        read_exercise(config.parent.parent, language)
        for language in can_run
        for config in sorted(folders[language].glob(f"*/{CONFIG}"))
    ]
    return sorted(exercises, key=lambda exercise: (exercise.name, exercise.language))


def _refusal(root: Path, refused: Sequence[str]) -> str:
    if not refused:
        return f"{root} has no exercises; they are read from LANG/{PRACTICE}/NAME/{CONFIG}"
    why = ", ".join(
        f"{name} ({NO_RUNNER.get(name, 'its tests have no runner here')})" for name in refused
    )
    return f"tests of {why} cannot run here, only those of {', '.join(RUNNERS)}"


def read_exercise(folder: Path, language: str) -> FolderExercise:
    """Read one exercise.

    Raises:
        DomainDataError: A file is missing or malformed; names file and key.
    """
    path = folder / CONFIG
    try:
        files = decode_json(_read(path), ExerciseConfig).files
    except msgspec.MsgspecError as error:
        raise DomainDataError(f"polyglot: {path}: {error}") from error
    if len(files.solution) != 1:
        raise DomainDataError(
            f"polyglot: {path}: files.solution names {len(files.solution)} files; expected one"
        )
    if not files.test:
        raise DomainDataError(f"polyglot: {path}: files.test names no file")
    for key, names in (("solution", files.solution), ("test", files.test)):
        for name in names:
            if not _MODULE.fullmatch(name):
                raise DomainDataError(
                    f"polyglot: {path}: files.{key} has {name!r}; expected the name of a Python "
                    "file in the exercise's own folder"
                )
    tests = {name: _read(folder / name) for name in files.test}
    return FolderExercise(
        folder.name,
        language,
        _statement(folder),
        files.solution[0],
        _read(folder / files.solution[0]),
        tests,
        sum(_count(folder / name, text) for name, text in tests.items()),
    )


def _read(path: Path) -> str:
    try:
        return read_given(path).decode()
    except Unreadable as reason:
        raise DomainDataError(f"polyglot: {path} {reason}") from reason
    except UnicodeDecodeError as error:
        raise DomainDataError(f"polyglot: cannot read {path}: it is not UTF-8") from error


def _statement(folder: Path) -> str:
    """Its documents: introductions first, what is appended after what it belongs to."""

    def place(path: Path) -> tuple[bool, bool, bool, str]:
        name = path.name
        is_first, is_second = name.startswith("introduction"), name.startswith("instructions")
        return not is_first, not is_second, ".append." in name, name

    paths = sorted((folder / ".docs").glob("*.md"), key=place)
    if not paths:
        raise DomainDataError(f"polyglot: no document {folder / '.docs'}/*.md says what is asked")
    return "\n\n".join(_read(path).strip() for path in paths)


def _count(path: Path, text: str) -> int:
    """Count the tests of a file, which has to have some by `unittest`."""
    try:
        tree = parse_python(text)
    except SyntaxError as error:
        raise DomainDataError(f"polyglot: {path} is no Python: {error.msg}") from error
    tests = {
        (group.name, test.name)
        for group in tree.body
        if isinstance(group, ast.ClassDef)
        for test in group.body
        if isinstance(test, ast.FunctionDef) and test.name.startswith("test")
    }
    modules = {
        name
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    if not tests or "unittest" not in modules or "pytest" in modules:
        raise DomainDataError(
            f"polyglot: {path} has no tests by unittest alone, and nothing else runs here; "
            f"take the exercise {PurePosixPath(path.parent.name)} out of the folder"
        )
    return len(tests)
