"""Starting what a page asks for, by the very command line: it judges, detaches and tells.

`hyperspace ... --detach` is started as a person would start it; what it refuses is refused here in
its words.
"""

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from hyperspace.dashboard.errors import NotDone
from hyperspace.dashboard.starting.fleet_file import fleet_text, kept_fleet
from hyperspace.dashboard.starting.request import RunRequest
from hyperspace.launch.forecast import Forecast
from hyperspace.runs.spaces.listing import printable
from hyperspace.tasks.base import DomainError
from hyperspace.tasks.registry import load

BEGIN_S: Final = 300.0  # in which a run has begun
MOST_SHOWN: Final = 2_000  # characters of what the command line said
_DEEPEST: Final = 2  # folders below the run's name: those of arms, and of seeds


class BegunRuns(NamedTuple):
    """What a command line began.

    Attributes:
        runs: The folders.
        command: The command line that does the same, as a person types it.
        pid: The process that plays; 0 where the run was finished before.
    """

    runs: tuple[Path, ...]
    command: str
    pid: int


class _Said(msgspec.Struct, frozen=True):
    """What the command line prints with `--json`: as it detaches, or of a run that is finished."""

    runs: tuple[str, ...] = ()
    run: str = ""
    pid: int = 0


def begin(request: RunRequest, results: Path) -> BegunRuns:
    """Start a run, and return when it has begun.

    Args:
        request: What is asked for.
        results: The folder that it is put into.

    Raises:
        NotDone: It may not be started, or the command line refused it; says why.
    """
    request.check()
    _require_no_link(request, results)
    with kept_fleet(request, results) as config:
        words = _words(request, results, config)
        said = _said(_output((*words, "--detach", "--json")))
    runs = said.runs or (said.run,)
    return BegunRuns(tuple(map(Path, runs)), shlex.join(("hyperspace", *words)), said.pid)


def forecast(request: RunRequest, results: Path) -> Forecast:
    """Say what a run may take, as `--dry-run` does; nothing is started or written.

    Raises:
        NotDone: It may not be started, or the command line refuses it; says why.
    """
    request.check(to_start=False)
    with _scratch_fleet(request) as config:
        words = (*_words(request, results, config), "--dry-run", "--json")
        return msgspec.json.decode(_output(words), type=Forecast)


def _words(request: RunRequest, results: Path, config: Path) -> tuple[str, ...]:
    """Return the words of the command line, without its program.

    Whatever was posted stands behind an `=`, but for the models of a pair, whose first character
    is a letter or a digit.
    """
    own = {
        "pair": ("--models", *request.models, f"--domain={request.domain}"),
        "solo": (f"--model={request.models[0]}", f"--domain={request.domain}", "--no-controls"),
        "fleet": (f"--config={config}",),
    }
    limit = () if request.max_usd is None else (f"--max-usd={request.max_usd!r}",)
    return (
        request.command,
        *own[request.command],
        f"--generations={request.generations}",
        f"--seed={request.seed}",
        *limit,
        *request.option_words(),
        "--sandbox=auto",
        f"--results={results}",
    )


@contextmanager
def _scratch_fleet(request: RunRequest) -> Generator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / f"{request.name}.toml"
        config.write_text(fleet_text(request), "utf-8")
        yield config


def _require_no_link(request: RunRequest, results: Path) -> None:
    """Check that no link leads a run out of the results folder."""
    try:
        domain = load(request.domain, run_seed=request.seed)
    except DomainError as error:
        raise NotDone(str(error)) from error
    task = results / domain.name
    run = task / request.run_name
    for path in (task, run, *_below(run, _DEEPEST)):
        if path.is_symlink():
            raise NotDone(f"{path} is a link, and runs are not put behind links; remove it")


def _below(folder: Path, depth: int) -> Iterator[Path]:
    if depth and folder.is_dir() and not folder.is_symlink():
        for path in folder.iterdir():
            yield path
            yield from _below(path, depth - 1)


def _output(words: Sequence[str]) -> bytes:
    """Return what a command line printed.

    Raises:
        NotDone: It failed; says what it said.
    """
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "hyperspace", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "COLUMNS": "100"},
    )
    with process:
        try:
            out, err = process.communicate(timeout=BEGIN_S)
        except subprocess.TimeoutExpired:
            process.terminate()  # it takes back what it began
            raise NotDone(f"the run had not begun after {BEGIN_S:.0f} seconds") from None
    if process.returncode:
        raise NotDone(_sentence(err, process.returncode))
    return out


def _said(output: bytes) -> _Said:
    """Return the object among the lines of a log that may hold what was told beside it."""
    objects = [line for line in output.splitlines() if line.startswith(b"{")]
    return msgspec.json.decode(objects[-1], type=_Said)


def _sentence(said: bytes, code: int) -> str:
    lines = said.decode("utf-8", "replace").strip().splitlines()
    if not lines:
        return f"the command line ended with code {code} and said nothing"
    last = lines[-1].partition(": ")
    text = last[2] if last[0].split(" ")[0] == "hyperspace" and last[2] else lines[-1]
    return printable(text, MOST_SHOWN)
