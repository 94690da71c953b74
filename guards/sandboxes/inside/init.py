"""First process of every sandbox: trusted, and done before any code of the workspace runs.

The host passes this source on the command line (`python -c`), then speaks over stdin and stdout:
one boot frame, the bytes of the workspace's files, and after `{"ready": true}` the frames of the
program. A frame is 4 bytes of length, big-endian, and a JSON object in UTF-8.

Slow imports are left out on purpose: each start pays for them. Only what nearly all code of agents
imports itself is imported ahead of it (`AHEAD`), so that a template can have it ready.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType, TracebackType
    from typing import Any, NoReturn

    Frame = dict[str, Any]

FILE_TIME = 946_684_800  # 2000-01-01 UTC: equal jobs see equal file times
LONGEST_ERROR = 300
AHEAD = ("_ast", "selectors", "shlex", "socket", "struct", "subprocess", "typing")
compiled: dict[str, CodeType] = {}  # by source: what a template has compiled ahead
modules: dict[tuple[str, bytes], CodeType] = {}  # the same, by path in the workspace and source
imported: set[str] = set()  # names of all modules that came with those of AHEAD


class Host:
    """A program's only tie to the outside, and where its workspace lies.

    Attributes:
        root: Path of the workspace as this process sees it.
    """

    def __init__(self, source: int, sink: int, root: str = "") -> None:
        self._source = source
        self._sink = sink
        self.root = root

    def receive(self) -> Frame | None:
        """Wait for the next frame; None when the host is gone."""
        head = self.read(4)
        if len(head) < 4:
            return None
        return json.loads(self.read(int.from_bytes(head, "big")))

    def send(self, frame: Frame) -> None:
        """Send one frame whole."""
        # What UTF-8 cannot carry (lone surrogates) must not end the conversation.
        body = json.dumps(frame, ensure_ascii=False).encode("utf-8", "replace")
        data = memoryview(len(body).to_bytes(4, "big") + body)
        while data:
            data = data[os.write(self._sink, data) :]

    def read(self, size: int) -> bytes:
        """Read exactly so many bytes; fewer only when the host is gone."""
        parts: list[bytes] = []
        while size > 0 and (part := os.read(self._source, min(size, 1 << 20))):
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def apart(self) -> Host:
        """Move the channel off 0, 1 and 2, so that prints, and children, do not reach it."""
        host = Host(os.dup(self._source), os.dup(self._sink), self.root)
        _no_input()
        os.dup2(2, 1)
        return host

    def describe(self, error: BaseException) -> str:
        """One line about an error: its type, its words, and where in the workspace it arose."""
        try:
            words = " ".join(str(error).split())
        except BaseException:  # a hostile __str__ may raise anything
            words = "(its message cannot be shown)"
        line = f"{type(error).__name__}: {words}" if words else type(error).__name__
        return self.shown(line[:LONGEST_ERROR] + self._place(error.__traceback__))

    def shown(self, text: str) -> str:
        """Write paths as relative to the workspace, so that texts do not depend on where it is."""
        return text.replace(self.root + "/", "") if self.root else text

    def _place(self, trace: TracebackType | None) -> str:
        line = ""
        while trace is not None:
            name = trace.tb_frame.f_code.co_filename
            if name.startswith(self.root + "/"):
                line = f" ({name}, line {trace.tb_lineno})"
            trace = trace.tb_next
        return line


def write_files(host: Host, files: Sequence[tuple[str, int]]) -> None:
    """Put the workspace's files in place; their bytes follow the boot frame in this order."""
    folders = {host.root}
    for path, size in files:
        target = os.path.join(host.root, path)
        folder = os.path.dirname(target)
        os.makedirs(folder, exist_ok=True)
        folders.add(folder)
        with open(target, "wb") as file:
            file.write(host.read(size))
        os.utime(target, (FILE_TIME, FILE_TIME))
    for folder in folders:
        os.utime(folder, (FILE_TIME, FILE_TIME))


def set_limits(limits: dict[str, Sequence[int]]) -> None:
    """Set resource limits as hard limits: no code that runs later can raise them."""
    for name, (soft, hard) in limits.items():
        kind = getattr(resource, name)
        ceiling = resource.getrlimit(kind)[1]
        if ceiling != resource.RLIM_INFINITY:
            soft, hard = min(soft, ceiling), min(hard, ceiling)
        resource.setrlimit(kind, (soft, hard))


def import_ahead() -> None:
    """Import what agents import, and remember what came with it; a template has done it before."""
    if not imported:
        before = set(sys.modules)
        for name in AHEAD:
            __import__(name)
        imported.update(sys.modules.keys() - before)


def compile_ahead(path: str, source: bytes) -> None:
    """Compile a module that lies in every workspace; a template does."""
    modules[path, source] = compile(source, path, "exec", dont_inherit=True)


def take_compiled() -> None:
    """Let imports take what was compiled ahead, where path and source are the same."""
    # Part of Python itself; `importlib.machinery`, which shows it, would have to be imported.
    loader: Any = sys.modules["_frozen_importlib_external"].SourceFileLoader
    compiling = loader.source_to_code

    def source_to_code(self: Any, data: bytes, path: str, **options: Any) -> CodeType:
        return modules.get((path, data)) or compiling(self, data, path, **options)

    loader.source_to_code = source_to_code


def yield_names(files: Sequence[tuple[str, int]]) -> None:
    """Take back what was imported ahead where the workspace has a module of such a name."""
    if not imported.isdisjoint(path.partition("/")[0].removesuffix(".py") for path, _ in files):
        for name in imported:
            del sys.modules[name]


def run(host: Host, boot: Frame) -> NoReturn:
    """Run the program in this process until the host has no more to ask."""
    code = 1
    try:
        yield_names(boot["files"])
        take_compiled()
        if boot["alone"]:  # here, and not among the limits: the first process had to fork
            resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
        gc.freeze()  # what is here by now is never garbage; to look at it would copy its memory
        names: dict[str, Any] = {"__name__": boot["name"]}
        source = boot["program"]
        exec(compiled.get(source) or compile(source, f"<{boot['name']}>", "exec"), names)
        main: Callable[[Host], None] = names["main"]
        main(host)
        code = 0
    except BaseException as error:  # the exit status is all that is left to report
        sys.stderr.write(f"{boot['name']}: {host.describe(error)}\n")
    finally:
        os._exit(code)


def keep_house(child: int, end_with_host: bool) -> NoReturn:
    """Reap orphans until the program ends, then end with its status, as shells tell it."""
    os.closerange(1, 2)
    if end_with_host:
        _watch_host()
    else:
        _no_input()
    while True:
        pid, status = os.wait()
        if pid == child:
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)


def _watch_host() -> None:
    import _thread
    import select

    def watch() -> None:
        # No events asked for: poll returns when the other end is closed, and reads nothing.
        poll = select.poll()
        poll.register(0, 0)
        poll.poll()
        os.killpg(0, signal.SIGKILL)
        os._exit(1)  # the first process of a container is not killed by itself; its end ends all

    _thread.start_new_thread(watch, ())


def _no_input() -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)


def main() -> NoReturn:
    """Boot: files, limits, then one child for the program."""
    os.umask(0o022)
    host = Host(0, 1, os.getcwd())
    boot = host.receive()
    if boot is None:
        os._exit(1)
    write_files(host, boot["files"])
    set_limits(boot["limits"])
    import_ahead()
    host.send({"ready": True})
    child = os.fork()
    if child == 0:
        run(host.apart() if boot["apart"] else host, boot)
    keep_house(child, boot["end_with_host"])


if __name__ == "__main__":
    main()
