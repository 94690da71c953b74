"""Environments for tests of research: the one in the box, and small ones made for the test."""

import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Final

from guards.scope.unified import unified_diff
from hyperspace.executor.base import Executor
from hyperspace.executor.journal import Journal
from hyperspace.executor.local.backend import LocalBackend
from hyperspace.executor.queue import queued
from hyperspace.research.environments.description import read_description
from hyperspace.research.environments.registry import find_environment
from hyperspace.research.environments.repository import Environment, read_environment
from hyperspace.research.jobs.candidate import apply_diff
from hyperspace.research.jobs.scoring import ScoredCandidate, score_candidate

SANDBOX: Final = "bubblewrap"
FIT_LINE: Final = "fit_line"
CONFIG: Final = """
name = "small"
[repository]
path = "repo"
frozen = ["rules.py"]
[job]
command = ["python", "main.py"]
[job.artefacts."out.json"]
format = "json"
max_mb = 0.001
[budget]
wall_s = 30
cpu_s = 2
memory_mb = 256
disk_mb = 2
[evaluation]
path = "sealed"
command = ["python", "judge.py"]
metric = "score"
digits = 3
[evaluation.budget]
disk_mb = 2
"""
HELD_OUT: Final = """
[evaluation.held_out]
path = "held_out"
"""
MAIN: Final = 'import json\nvalue = 1\njson.dump({"value": value}, open("out.json", "w"))\n'
JUDGE: Final = (
    "import json\n"
    'value = json.load(open("artefacts/out.json"))["value"]\n'
    'print(json.dumps({"score": min(value, json.load(open("most.json")))}))\n'
)


def fit_line() -> Environment:
    """The environment that comes along."""
    return find_environment(FIT_LINE)


def write_small(folder: Path, files: Mapping[str, str] | None = None) -> Path:
    """Write a small environment: what counts is a number that is at most 5."""
    contents = {
        "env.toml": CONFIG,
        "repo/main.py": MAIN,
        "repo/rules.py": "MOST = 5\n",
        "sealed/judge.py": JUDGE,
        "sealed/most.json": "5",
        **(files or {}),
    }
    for name, text in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def small(folder: Path, files: Mapping[str, str] | None = None) -> Environment:
    """The small environment, written and read."""
    return read_environment(read_description(write_small(folder, files)))


def diff_of(environment: Environment, changed: Mapping[str, str | None]) -> str:
    """A unified diff that gives files another text; None deletes one."""
    after: dict[str, str | None] = {**environment.texts(), **changed}
    return unified_diff(environment.texts(), {p: t for p, t in after.items() if t is not None})


def replaced(environment: Environment, path: str, old: str, new: str) -> str:
    """A diff that replaces a text in one file."""
    text = environment.texts()[path]
    assert old in text
    return diff_of(environment, {path: text.replace(old, new)})


def opened(folder: Path) -> Path:
    """A folder below pytest's, which is closed to others, made where it is missing, and opened."""
    folder.mkdir(exist_ok=True)
    for path in [folder, *folder.parents]:
        if path.stat().st_uid == os.getuid() and path != Path("/"):
            path.chmod(path.stat().st_mode | 0o055)
    return folder


@asynccontextmanager
async def executor_in(
    folder: Path, slots: int = 1, data: Mapping[str, Path] = MappingProxyType({})
) -> AsyncGenerator[Executor]:
    """An executor of this machine that keeps its record in a folder."""
    backend = LocalBackend(lambda attempt: folder / attempt.id, {}, data)
    async with queued(backend, slots, Journal(folder / "jobs.db")) as executor:
        yield executor


async def scored(environment: Environment, diff: str, folder: Path) -> ScoredCandidate:
    """What comes of a diff; an empty one changes nothing."""
    files = apply_diff(environment, diff) if diff else environment.files
    data = {each.sha256: each.path for each in environment.data.values()}
    async with executor_in(folder, data=data) as executor:
        return await score_candidate(environment, files, executor, SANDBOX)
