"""A process that has Python and our programs ready, and forks one child for each candidate.

The host passes this source on the command line (`python -c`), and one JSON object as argument: the
sources of `init`, `contained` and `namespaces`, those of the programs, and the system call filter
in hexadecimal. It runs in bubblewrap, without rights, and reads nothing of any candidate: the host
hands over one end of a socket for each, which only the child reads from.

For each candidate: `template` forks the keeper, which enters fresh namespaces, forks the first
process inside, and tells the host how that one ended. The first process gives up what it can and
goes on as `init`, as if bubblewrap had started it.
"""

from __future__ import annotations

import json
import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket
    from typing import Any, NoReturn

    Frame = dict[str, Any]
    Names = dict[str, Any]

CONTROL = 0
LONGEST_REQUEST = 4_096
DESCRIPTOR_BYTES = 4
STREAMS = 3
FAILED, STARTED, ENDED = b"E", b"P", b"S"


class ForkServer:
    """A process from which every candidate is forked.

    Args:
        given: The argument of the command line.
    """

    def __init__(self, given: Frame) -> None:
        self._init = _executed("init", given["init"])
        for name, source in given["programs"].items():
            self._init["compiled"][source] = compile(source, f"<{name}>", "exec")
        self._init["import_ahead"]()
        self._imported = frozenset(sys.modules)  # what candidates find imported
        self._contained = _executed("contained", given["contained"])
        self._spaces = _executed("namespaces", given["namespaces"])
        self._filter = bytes.fromhex(given["filter"])
        self._ids = os.getuid(), os.getgid()
        self._workspace = os.getcwd()
        self._broker = os.path.dirname(os.environ["HYPERSPACE_BROKER"])
        self._own: list[str] = []  # modules that only we need

    def serve(self) -> NoReturn:
        """Fork a keeper for each socket that the host sends, until the host is gone."""
        import _socket

        self._own = sorted(set(sys.modules) - self._imported)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # keepers leave no zombies
        control = _socket.socket(fileno=CONTROL)
        while lent := _receive(control, 1)[1]:
            host = _socket.socket(fileno=lent[0])
            self._fork_keeper(host)
            host.close()
        os._exit(0)  # everything in our process namespace ends with us

    def _fork_keeper(self, host: _socket.socket) -> None:
        try:
            child = os.fork()
        except OSError as error:  # no process or memory to be had: those that run must go on
            _tell(host, error)
            return
        if child == 0:
            self._keep(host)

    def _keep(self, host: _socket.socket) -> NoReturn:
        status = 1
        try:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            request, streams = _receive(host, STREAMS)
            for target, descriptor in enumerate(streams):
                os.dup2(descriptor, target)  # the control socket is closed by this
                os.close(descriptor)
            status = self._run(host, json.loads(request))
            host.send(ENDED + bytes([status]))
        except BaseException as error:  # nobody but the host can be told
            _tell(host, error)
        finally:
            os._exit(status)

    def _run(self, host: _socket.socket, request: Frame) -> int:
        self._spaces["enter_fresh"](*self._ids)
        child = os.fork()
        if child == 0:
            self._become_first(host, request)
        os.closerange(0, STREAMS)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return code if code >= 0 else 128 - code

    def _become_first(self, host: _socket.socket, request: Frame) -> NoReturn:
        try:
            self._confine(request)
            host.send(STARTED)  # the kernel adds who we are
        except BaseException as error:  # the start is over, and the host must hear why
            _tell(host, error)
            os._exit(1)
        host.detach()
        os.closerange(STREAMS, 1 + max(map(int, os.listdir("/proc/self/fd"))))
        for name in self._own:
            del sys.modules[name]
        self._init["main"]()
        os._exit(1)

    def _confine(self, request: Frame) -> None:
        spaces, room = self._spaces, request["room"]
        os.setsid()
        spaces["mount_private"](self._workspace, room, request["sizes"], self._broker)
        os.chdir(self._workspace)
        spaces["enter_powerless"](*self._ids)
        spaces["drop_rights"]()
        spaces["end_with_parent"]()
        self._contained["install"](self._filter)
        if not room:
            del os.environ["HYPERSPACE_BROKER"]


def _executed(name: str, source: str) -> Names:
    names: Names = {"__name__": name}
    exec(compile(source, f"<{name}>", "exec"), names)
    return names


def _receive(source: _socket.socket, most: int) -> tuple[bytes, list[int]]:
    """One message and the descriptors that came with it; none of either when the host is gone."""
    import _socket

    space = _socket.CMSG_SPACE(most * DESCRIPTOR_BYTES)
    message, extra, _, _ = source.recvmsg(LONGEST_REQUEST, space)
    lent: list[int] = []
    for level, kind, data in extra:
        if (level, kind) == (_socket.SOL_SOCKET, _socket.SCM_RIGHTS):
            lent += memoryview(data).cast("i")
    return message, lent


def _tell(host: _socket.socket, error: BaseException) -> None:
    from contextlib import suppress

    with suppress(OSError):  # the host is gone, and so is the candidate
        host.send(FAILED + f"{type(error).__name__}: {error}".encode()[:LONGEST_REQUEST])


if __name__ == "__main__":
    ForkServer(json.loads(sys.argv.pop())).serve()
