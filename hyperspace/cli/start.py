"""What the installed command starts, with nothing but the standard library.

A shell that leaves too little to start in, or Ctrl-C while the command line is still loading, ends
in a sentence.
"""

import ctypes
import os
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn

from hyperspace import INTERRUPTED

PR_SET_DUMPABLE: Final = 4  # of prctl(2)
PRIVATE: Final = 0o077
LEAST_MEMORY_MIB: Final = 100
"""Address space in which a run of two offline agents can be played."""


def entry() -> NoReturn:
    """Entry point of the installed command, and of `python -m hyperspace`."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:  # nohup has hang-ups ignored
            signal.signal(number, _end)
    _keep_to_ourselves()
    _tell_early_exits()
    _open_as_many_files_as_we_may()
    try:
        _open_closed_streams()
        code = _flushed(_code())
    except KeyboardInterrupt:  # before a command began, or after it ended
        print("\nhyperspace: stopped", file=sys.stderr)
        code = INTERRUPTED
    sys.exit(code)


def _code() -> int:
    """Run the command line; what ends it early, such as `--help`, has a code, too."""
    try:
        return _run()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)


def _flushed(code: int) -> int:
    """Return the exit code of a command; 1 if what it printed could not be written."""
    try:
        sys.stdout.flush()
        failure: OSError | None = getattr(sys.stdout, "failure", None)
        if failure is not None and not code:
            raise failure  # argparse passes over it
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nothing more is tried at the end
        if not isinstance(error, BrokenPipeError):
            print(
                f"hyperspace: standard output cannot be written: {error.strerror}",
                file=sys.stderr,
            )
        return code or 1
    return code


def _end(_number: int, _frame: object) -> None:
    """End politely, as after Ctrl-C: nothing is left behind.

    Raises:
        KeyboardInterrupt: Ctrl-C is ignored, as a shell has it for what runs in its background.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        raise KeyboardInterrupt
    os.kill(os.getpid(), signal.SIGINT)


def _tell_early_exits() -> None:
    """Let `os._exit` end this process with a sentence: it ends by `entry` alone.

    Code of the person's own, such as a domain's, runs in here. A child that was forked may end so.
    """
    end, own = os._exit, os.getpid()

    def told(status: int) -> NoReturn:
        """End at once."""
        if os.getpid() == own:
            code = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
            print(
                f"hyperspace: ended by os._exit({status}) in {code.f_code.co_filename}, line "
                f"{code.f_lineno}, before it was done; take that out of the code",
                file=sys.stderr,
                flush=True,
            )
        end(status or int(os.getpid() == own))

    os._exit = told


def _keep_to_ourselves() -> None:
    """Let nobody but root look into this process, which may hold keys, or read what it writes.

    No core is dumped, no other process of this user may attach to this one, and files are made for
    their owner alone; a run that is shared says so (`hyperspace.launch.sharing`). What is
    started from here is its own program again, but for the files.
    """
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))
    with suppress(OSError, AttributeError):  # not Linux
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    os.umask(PRIVATE)


def _open_as_many_files_as_we_may() -> None:
    """Raise our own limit: shells allow 1,024 files and connections, and many lanes hold more."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # a host whose own limit is lower by now
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _open_closed_streams() -> None:
    """Put the null device in the place of standard streams that are closed, and say so.

    No file that is opened later gets their numbers, and nothing that is printed lands in it.
    """
    modes = {"stdin": os.O_RDONLY, "stdout": os.O_WRONLY, "stderr": os.O_WRONLY}
    for number, (name, mode) in enumerate(modes.items()):
        if getattr(sys, name) is None:
            file = os.open(os.devnull, mode)  # the lowest number that is free
            setattr(sys, name, os.fdopen(file, "w" if mode == os.O_WRONLY else "r"))
            if number == 1:
                print(
                    "hyperspace: standard output is closed, so what is printed goes nowhere",
                    file=sys.stderr,
                )


def _unusable_shell() -> str:
    """Return why nothing can be done from the shell that started this; empty if it can."""
    try:
        Path.cwd()
    except OSError:
        return "the working folder was removed or cannot be read; change to another one (cd ~)"
    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if allowed != resource.RLIM_INFINITY and allowed < LEAST_MEMORY_MIB << 20:
        return (
            f"this shell allows {allowed >> 20} MiB of memory, and {LEAST_MEMORY_MIB} are needed; "
            "raise its limit (ulimit -v unlimited)"
        )
    return ""


def _run() -> int:
    if problem := _unusable_shell():
        print(f"hyperspace: {problem}", file=sys.stderr)
        return 2
    from hyperspace.cli.main import is_read_by_a_program, main
    from hyperspace.cli.printing.terminal import guard, keep_results_apart

    guard()
    if is_read_by_a_program(sys.argv[1:]):
        keep_results_apart()
    return main(sys.argv[1:])
