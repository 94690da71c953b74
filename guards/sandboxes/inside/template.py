"""A process that has Python and our programs ready, and forks one child for each candidate.

The host passes this source on the command line (`python -c`), and one JSON object as argument: the
sources of `init`, `contained` and `namespaces`, those of the programs and of modules that every
workspace has, the system call filter in hexadecimal and the number of `clone`. It runs in
bubblewrap, without rights, and reads nothing of any candidate: the host hands over one end of a
socket for each, which only the child reads from.

For each candidate it forks the first process inside, into fresh namespaces, and tells the host how
that one ended. The first process makes the socket at which a broker is reached, which only the host
answers, gives up what it can and goes on as `init`, as if bubblewrap had started it.
"""

from __future__ import annotations

import gc
import json
import os
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
        for path, source in given["modules"].items():
            self._init["compile_ahead"](f"{os.getcwd()}/{path}", source.encode())
        self._imported = frozenset(sys.modules)  # what candidates find imported
        self._contained = _executed("contained", given["contained"])
        self._spaces = _executed("namespaces", given["namespaces"])
        self._filter = bytes.fromhex(given["filter"])
        self._clone: int = given["clone"]
        self._ids = os.getuid(), os.getgid()
        self._workspace = os.getcwd()
        self._broker = os.environ["HYPERSPACE_BROKER"]
        self._own: list[str] = []  # modules that only we need
        self._running: dict[int, tuple[int, int]] = {}  # by descriptor: process, host's socket

    def serve(self) -> NoReturn:
        """Fork for each socket that the host sends, until the host is gone."""
        import _socket
        import select

        self._own = sorted(set(sys.modules) - self._imported)
        gc.freeze()  # what is here by now is never garbage; each child would copy what it looks at
        control, events = _socket.socket(fileno=CONTROL), select.poll()
        events.register(CONTROL, select.POLLIN)
        while True:
            for descriptor, _ in events.poll():
                if descriptor != CONTROL:
                    events.unregister(descriptor)
                    self._tell_end(descriptor)
                elif lent := _receive(control, 1)[1]:
                    started = self._fork(lent[0])
                    if started is not None:
                        events.register(started, select.POLLIN)
                else:
                    os._exit(0)  # everything in our process namespace ends with us

    def _fork(self, host: int) -> int | None:
        """Fork a first process; returns a descriptor that tells its end, None if there is none."""
        try:
            child: int = self._spaces["fork_fresh"](self._clone)
        except Exception as error:  # no process or memory to be had: those that run must go on
            _refuse(host, error)
            return None
        if child == 0:
            self._become_first(host)
        watched = os.pidfd_open(child)
        self._running[watched] = child, host
        return watched

    def _tell_end(self, watched: int) -> None:
        """Tell the host how a first process ended, as shells tell it."""
        child, host = self._running.pop(watched)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        _send(host, ENDED + bytes([code if code >= 0 else 128 - code]))
        os.close(host)
        os.close(watched)

    def _become_first(self, host: int) -> NoReturn:
        import _socket

        try:
            self._spaces["map_user"](*self._ids)
            request, streams = _receive(_socket.socket(fileno=os.dup(host)), STREAMS)
            for target, descriptor in enumerate(streams):
                os.dup2(descriptor, target)  # the control socket is closed by this
            door = self._confine(json.loads(request))
            _send(host, STARTED + door)  # the kernel adds who we are
            if door and not _receive(_socket.socket(fileno=os.dup(host)), 0)[0]:
                os._exit(1)  # the host is gone; else it has taken the door, which is closed below
        except BaseException as error:  # the start is over, and nobody but the host can be told
            _tell(host, error)
            os._exit(1)
        os.closerange(STREAMS, 1 + max(map(int, os.listdir("/proc/self/fd"))))
        for name in self._own:
            del sys.modules[name]
        self._init["main"]()
        os._exit(1)

    def _confine(self, request: Frame) -> bytes:
        """Put up the walls; returns the number of the broker's socket, if there is to be one."""
        spaces, door = self._spaces, b""
        os.setsid()
        spaces["mount_private"](self._workspace, request["sizes"])
        if request["has_broker"]:
            door = str(spaces["open_door"](self._broker).detach()).encode()
        else:
            del os.environ["HYPERSPACE_BROKER"]
        os.chdir(self._workspace)
        spaces["enter_powerless"](*self._ids)
        spaces["drop_rights"]()
        spaces["end_with_parent"]()
        self._contained["install"](self._filter)
        return door


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


def _send(host: int, message: bytes) -> None:
    import _socket
    from contextlib import suppress

    socket = _socket.socket(fileno=os.dup(host))
    with suppress(OSError):  # the host is gone, and so is the candidate
        socket.send(message, _socket.MSG_DONTWAIT)
    socket.close()


def _refuse(host: int, error: Exception) -> None:
    """Take what nobody else will, as it would otherwise take back what is told; then tell why."""
    import _socket

    socket = _socket.socket(fileno=host)
    socket.setblocking(False)
    try:
        for descriptor in _receive(socket, STREAMS)[1]:
            os.close(descriptor)
    except OSError:  # nothing was sent
        pass
    _tell(host, error)
    socket.close()


def _tell(host: int, error: BaseException) -> None:
    _send(host, FAILED + f"{type(error).__name__}: {error}".encode()[:LONGEST_REQUEST])


if __name__ == "__main__":
    ForkServer(json.loads(sys.argv.pop())).serve()
