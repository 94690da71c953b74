"""Forks programs that import `hyperspace`, all that it imports being loaded once.

    python -m tests.support.forks.template SOCKET

The socket is a descriptor. A request on it is a message of JSON, with descriptors for standard
output, standard error and the reply: the process, then its exit code and CPU seconds. What is
forked is what `python -m MODULE` would be, but for command line and environment in `/proc`.
"""

import atexit
import gc
import json
import os
import selectors
import signal
import socket
import sys
from contextlib import suppress
from importlib import import_module
from pkgutil import walk_packages
from runpy import run_module
from typing import Final, NamedTuple

import hyperspace.cli

LARGEST_BYTES: Final = 100_000
END: Final = os._exit  # a command puts its own in the place of it
PRELOADED: Final = (
    "anyio._backends._asyncio",
    "hyperspace.dashboard.results.tree",
    "hyperspace.tasks.repo_quality.domain",
    "hyperspace.launch.from_server",
    "hyperspace.launch.replay",
    "hyperspace.launch.run_domain",
    "replication.report.build",
    "replication.report.outputs.text",
    "replication.solo",
    "rich.console",
    "hyperspace.runs.following.follower",
    "hyperspace.runs.table",
    "transfer_experiment.analysis",
    "transfer_experiment.arena",
    "transfer_experiment.pair",
    "transfer_experiment.survey",
)
"""What commands import only when they are run, beside what they all do."""
LATER: Final = {
    "@http": ("hyperspace.models.chat.openai", "openai.resources.chat", "httpcore2"),
    "openai-responses:": ("hyperspace.models.responses.model", "openai.resources.responses"),
    "anthropic:": ("hyperspace.models.anthropic.messages", "anthropic.resources.messages"),
    "fireworks:": ("hyperspace.models.chat.fireworks", "fireworks.resources.chat"),
}
"""What is loaded as soon as a word of a command line has this in it, since few have."""


class Request(NamedTuple):
    """A command line to be run.

    Attributes:
        module: The program.
        arguments: Those of the program.
        cwd: The folder to be in.
        changes: What is otherwise in the environment.
    """

    module: str
    arguments: list[str]
    cwd: str
    changes: dict[str, str]


class Forks:
    """The processes that were forked and run, and who waits for their exit codes."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._replies: dict[int, socket.socket] = {}  # by the descriptor of the process
        self._selector = selectors.DefaultSelector()
        self._selector.register(control, selectors.EVENT_READ)

    def serve(self) -> Request | None:
        """Fork for each request; returns the request in the process forked, None at the end."""
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is not self._control:
                    self._ended(key.fd, key.data)
                    continue
                message, lent, _, _ = socket.recv_fds(self._control, LARGEST_BYTES, 3)
                if not message:
                    return None
                request = Request(**json.loads(message))
                _load_for(request)
                if self._fork(lent):
                    return request

    def _fork(self, lent: list[int]) -> bool:
        """Fork; returns whether this is the new process, with the outputs that were lent."""
        out, errors, reply = lent
        pid = os.fork()
        if pid:
            answer = socket.socket(fileno=reply)
            answer.send(str(pid).encode())
            process = os.pidfd_open(pid)
            self._replies[process] = answer
            self._selector.register(process, selectors.EVENT_READ, pid)
        else:
            os.dup2(out, 1)
            os.dup2(errors, 2)
            os.close(reply)
            self._forget()
        os.close(out)
        os.close(errors)
        return not pid

    def _ended(self, process: int, pid: int) -> None:
        _, status, used = os.wait4(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        self._selector.unregister(process)
        os.close(process)
        # Whoever asked may have left, as after a timeout.
        with self._replies.pop(process) as reply, suppress(BrokenPipeError):
            reply.send(json.dumps((code, used.ru_utime + used.ru_stime)).encode())

    def _forget(self) -> None:
        self._selector.close()
        self._control.close()
        for process, reply in self._replies.items():
            os.close(process)
            reply.close()


def _keep_loaded() -> None:
    """Let no garbage collection of a fork look through, and so copy, what is loaded by now."""
    gc.collect()
    gc.freeze()


def _load_for(request: Request) -> None:
    loaded = len(sys.modules)
    for part, modules in LATER.items():
        if any(part in word for word in request.arguments):
            for name in modules:
                import_module(name)
    if len(sys.modules) > loaded:
        _keep_loaded()


def main(control: int) -> None:
    """Load, fork on request until the socket is closed, and in what was forked run the program."""
    codes: list[int] = []
    atexit.register(_end_at_once, codes)  # the first to register is the last to be called
    for module in walk_packages(hyperspace.cli.__path__, "hyperspace.cli."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    for name in PRELOADED:
        import_module(name)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _keep_loaded()
    request = Forks(socket.socket(fileno=control)).serve()
    if request is not None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.environ.update(request.changes)
        os.chdir(request.cwd)
        sys.path[0] = request.cwd
        sys.argv[1:] = request.arguments
        try:
            run_module(request.module, run_name="__main__", alter_sys=True)
        except SystemExit as ended:
            if isinstance(ended.code, int):
                codes.append(ended.code)
            raise


def _end_at_once(codes: list[int]) -> None:
    """End with the code, if a program had one, before modules are cleared and so copied."""
    for code in codes:
        sys.stdout.flush()
        sys.stderr.flush()
        END(code)


if __name__ == "__main__":
    main(int(sys.argv[1]))
