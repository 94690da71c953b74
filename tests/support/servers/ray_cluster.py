"""A Ray cluster of nodes on this machine, each as `ray start` would start it on a machine."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from hyperspace.executor.environment import scrubbed
from hyperspace.executor.ray.cluster import connected
from tests.support.processes import descendants

# Who can start a task can do all that this user can.
TOKEN: Final = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
START_S: Final = 400.0
LOOPBACK: Final = "127.0.0.1"
_RAY: Final = (sys.executable, "-m", "ray.scripts.scripts", "start", "--block")
_BOUNDS: Final = ("--object-store-memory=80000000", "--disable-usage-stats")
_PATIENT: Final = {
    "RAY_raylet_start_wait_time_s": "300",
    "RAY_health_check_failure_threshold": "20",
    "RAY_health_check_initial_delay_ms": "60000",
    "RAY_gcs_server_request_timeout_seconds": "120",
}


class RayNode:
    """A node, which is a process group of its own."""

    def __init__(self, process: "subprocess.Popen[bytes]", log: Path) -> None:
        self.process = process
        self.log = log

    def end(self) -> None:
        """End it and all that it has started."""
        if self.process.poll() is None:
            self.process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(30)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class RayCluster:
    """Nodes on this machine.

    Attributes:
        address: What follows `--executor`.
        head: The first node.
        nodes_here: All of them.
    """

    def __init__(self, folder: Path, host: str = LOOPBACK, cpus: int = 2) -> None:
        """Start the head.

        Args:
            folder: Where logs go.
            host: Its address, which other nodes reach it at.
            cpus: Its cores.
        """
        os.environ.update(TOKEN)  # for whoever connects from here
        self._folder = folder
        self._host, self._port = host, _free_port(host)
        self.nodes_here: list[RayNode] = []
        self.address = f"ray://{host}:{self._port}"
        own = ("--head", f"--port={self._port}", "--include-dashboard=false")
        self.head = self.add(*own, cpus=cpus, host=host)
        self._wait()

    def add(
        self,
        *options: str,
        cpus: int = 2,
        env: Mapping[str, str] | None = None,
        host: str = LOOPBACK,
        within: Sequence[str] = (),
    ) -> RayNode:
        """Start a node.

        Args:
            options: More for `ray start`; none joins the cluster.
            cpus: Its cores.
            env: Variables beside those that every worker may have.
            host: Its address.
            within: The beginning of a command line that starts it elsewhere on this machine.
        """
        number = len(self.nodes_here)
        log = self._folder / f"node_{number}.log"
        join = options or (f"--address={self._host}:{self._port}",)
        bounds = (*_BOUNDS, f"--num-cpus={cpus}", f"--node-ip-address={host}")
        with log.open("wb") as file:
            process = subprocess.Popen(
                [*within, *_RAY, *join, *bounds],
                env=scrubbed(os.environ) | _PATIENT | TOKEN | dict(env or {}),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.nodes_here.append(RayNode(process, log))
        return self.nodes_here[-1]

    def end(self) -> None:
        """End every node."""
        for node in reversed(self.nodes_here):
            node.end()

    def wait_for(self, nodes: int) -> None:
        """Wait until so many nodes are alive."""
        self._wait_until(lambda alive: alive >= nodes)

    def wait_until_gone(self, node: RayNode) -> None:
        """Wait until the cluster knows that a node has ended."""
        self.nodes_here.remove(node)
        self._wait_until(lambda alive: alive <= len(self.nodes_here))

    def _wait_until(self, holds: Callable[[int], bool]) -> None:
        until = time.monotonic() + START_S
        with connected(self.address) as cluster:
            while not holds(len(cluster.nodes())):
                if time.monotonic() > until:
                    raise TimeoutError(f"{len(cluster.nodes())} nodes are alive after {START_S} s")
                time.sleep(0.5)

    def pids(self, node: RayNode, named: str = "") -> list[int]:
        """Return the processes of a node whose command line has a word."""
        return [pid for pid in descendants(node.process.pid) if named in _command_line(pid)]

    def _wait(self) -> None:
        """Wait until the head says that it runs."""
        until = time.monotonic() + START_S
        while b"Ray runtime started" not in self.head.log.read_bytes():
            if self.head.process.poll() is not None or time.monotonic() > until:
                words = self.head.log.read_text(errors="replace")[-2000:]
                self.end()
                raise TimeoutError(f"Ray cannot be started here: {words}")
            time.sleep(0.2)


def _free_port(host: str) -> int:
    with socket.socket() as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def _command_line(pid: int) -> str:
    try:
        return (
            Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        )
    except OSError:  # it has ended
        return ""
