"""`--detach`: runs that go on when the terminal that they were started from is gone.

The same command line, without the option, plays in a process with a session of its own; nobody
hangs it up. What it prints goes into a log beside the run.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from hyperspace.cli.printing.dashboard_link import page_address
from hyperspace.cli.printing.streaming import print_json
from hyperspace.cli.printing.terminal import results
from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.state.lease import run_held
from hyperspace.runs.following.worker import worker_of

OPTION: Final = "--detach"
LOOK_S: Final = 0.1
MOST_SHOWN_BYTES: Final = 20_000
_PARENT: Final = 1  # of the fields of /proc/<pid>/stat behind the name


def detached(args: argparse.Namespace, runs: Sequence[Path]) -> int:
    """Start what a command line asks for in the background, and return when it has begun.

    Args:
        args: Of the command line.
        runs: The folders that its runs will have.

    Returns:
        0 when it has begun; its exit code if it ended before that, with what it said printed.

    Raises:
        RunUsageError: The command line asks for what only a terminal gets.
        RunHeld: Another process works on the only run.
        OSError: The log cannot be written.
    """
    if getattr(args, "events", False):
        raise RunUsageError(f"--events tells a program that listens, and {OPTION} leaves it")
    if len(runs) == 1 and (held := worker_of(runs[0])) is not None:
        raise run_held(runs[0], held)  # its log is not that of another start
    log = log_of(runs)
    missing = [folder for folder in (log.parent, *log.parent.parents) if not folder.exists()]
    log.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(log, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "rb") as said:
        start = said.seek(0, os.SEEK_END)
        process = _start([word for word in args.argv[1:] if word != OPTION], descriptor)
        if _has_begun(process, runs):
            _tell_begun(process.pid, log, runs, as_json=args.json)
            return 0
        said.seek(max(start, said.seek(0, os.SEEK_END) - MOST_SHOWN_BYTES))
        text = said.read().decode("utf-8", "replace")
    _pass_on(text, as_json=args.json, failed=process.returncode != 0)
    if process.returncode and not start:
        _take_back(log, missing)
    return abs(process.returncode)


def _pass_on(said: str, *, as_json: bool, failed: bool) -> None:
    """Print what the other process has said: its result where it has one, the rest beside it."""
    for line in said.splitlines(keepends=True):
        is_result = not failed and (line.startswith("{") or not as_json)
        (results() if is_result else sys.stderr).write(line)


def log_of(runs: Sequence[Path]) -> Path:
    """Return where the log of a run lies, or of a set of them."""
    if len(runs) == 1:
        return runs[0].with_name(f"{runs[0].name}.log")
    return Path(os.path.commonpath([run.absolute() for run in runs])) / "detached.log"


def _start(words: Sequence[str], log: int) -> "subprocess.Popen[bytes]":
    # What is ignored here is ignored in there: a session of its own is hung up by nobody, but a
    # program may send the signal to all of a person's processes.
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "hyperspace", *words],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    finally:
        signal.signal(signal.SIGHUP, before)


def _has_begun(process: "subprocess.Popen[bytes]", runs: Sequence[Path]) -> bool:
    """Wait until it works on one of its runs; false if it has ended before."""
    try:
        while process.poll() is None:
            if any(_works_on(process.pid, run) for run in runs):
                return True
            time.sleep(LOOK_S)
    except BaseException:  # Ctrl-C: what nobody waited for is not left behind
        process.terminate()
        raise
    return False


def _works_on(pid: int, run: Path) -> bool:
    """Return whether a process, or one below it, is the coordinator of a run."""
    held = worker_of(run)
    process = None if held is None else held.info.get("pid")
    while isinstance(process, int) and process > 1:
        if process == pid:
            return True
        process = _parent(process)
    return False


def _parent(pid: int) -> int:
    with suppress(OSError):
        stat = Path(f"/proc/{pid}/stat").read_text("latin-1")
        return int(stat.rpartition(")")[2].split()[_PARENT])
    return 0


def _tell_begun(pid: int, log: Path, runs: Sequence[Path], *, as_json: bool) -> None:
    page = page_address(runs)
    if as_json:
        print_json({"pid": pid, "log": str(log), "runs": [*map(str, runs)], "dashboard": page})
        return
    for run in runs:
        print(f"begun: {run}" if len(runs) == 1 else f"planned: {run}")
    print(f"it goes on without this terminal, as process {pid}")
    print(f"  log    {log}")
    print(f"  watch  hyperspace watch {runs[0]}" + (f" or {page}" if page else ""))
    print(f"  stop   kill {pid} (the same command goes on where it was)")


def _take_back(log: Path, folders: Sequence[Path]) -> None:
    """Remove a log that was shown, and the folders that were made for it."""
    with suppress(OSError):
        log.unlink()
        for folder in folders:
            folder.rmdir()
