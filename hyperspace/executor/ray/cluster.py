"""A connection to a Ray cluster: one that runs, or one that lasts as long as this process."""

import os
import signal
import socket
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

import msgspec

from hyperspace.executor.environment import scrub_own
from hyperspace.executor.errors import ExecutorUnavailable, ExecutorUsageError
from hyperspace.executor.names import AUTO, NAMES, RAY, is_executor
from hyperspace.executor.ray.library import library, submodule
from hyperspace.executor.ray.nodes import ClusterNode, NodeReport

WHAT_TO_DO: Final = (
    "nothing is lost, see `ray status`, and run the same command again when it is there"
)
_OBJECT_STORE_BYTES: Final = 80 * 1024**2  # the least that Ray takes: no result lies in it
_LISTENER_S: Final = 20.0
# What whoever speaks HTTP/2 says first, with no settings; the answer begins with a frame of those.
_HTTP2_GREETING: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
_HTTP2_HEAD_BYTES: Final = 9
_HTTP2_KIND: Final = slice(3, 4)
_HTTP2_SETTINGS: Final = b"\x04"
_NODE_PATIENCE_S: Final = 10.0
_NODE_POLL_S: Final = 1.0
_NO_NODE: Final = (
    "this machine is no node of it; make it one (ray start --address=HOST:PORT, with --num-cpus=0 "
    "if it is to play nothing)"
)
_NO_CLUSTER: Final = (
    "none runs on this machine; begin one (ray start --head), or name another with ray://HOST:PORT"
)
_NO_NODE_OF_RAY: Final = "No node info found"  # what Ray says of that, after a minute
_EXAMINATION_S: Final = 300.0
_SCHEME: Final = "ray://"
_LONGEST_WORDS: Final = 300
# A machine that is busy, or a network that is away for some time, is not dead.
_SYSTEM_CONFIG: Final = {
    "health_check_initial_delay_ms": 30_000,
    "health_check_period_ms": 10_000,
    "health_check_timeout_ms": 20_000,
    "health_check_failure_threshold": 6,
    "gcs_rpc_server_reconnect_timeout_s": 120,
}


class Cluster:
    """A cluster that this process is connected to.

    Args:
        ray: The module.
        named: What follows `--executor`.

    Attributes:
        ray: The module.
        is_gone: Whether nobody answers there any more, so that nothing is to be asked of it.
    """

    def __init__(self, ray: Any, named: str) -> None:
        self.ray = ray
        self.is_gone = False
        self._named = named.removeprefix(_SCHEME)

    @property
    def own_host(self) -> str:
        """Address of this machine that the nodes can reach."""
        return str(submodule("util").get_node_ip_address())

    @property
    def address(self) -> str:
        """Where another process of this machine connects to it."""
        return str(self.ray.get_runtime_context().gcs_address)

    @property
    def reached_at(self) -> str:
        """Where it is reached from here, as the person said it if they did."""
        return self._named if ":" in self._named else self.address

    def nodes(self) -> list[ClusterNode]:
        """Return the nodes that are alive; none is examined yet."""
        return [
            ClusterNode(each["NodeID"], each["NodeManagerHostname"], each["Resources"], None)
            for each in self.ray.nodes()
            if each["Alive"]
        ]

    def on_node(self, function: Callable[..., Any], node: str, **options: Any) -> Any:
        """Return a task that runs on one node; it is never tried again by Ray.

        Only we can tell a job that ends its worker from a machine that does.
        """
        strategies = submodule("util.scheduling_strategies")
        strategy = strategies.NodeAffinitySchedulingStrategy(node, soft=False)
        remote = self.ray.remote(max_retries=0, max_calls=0)(function)
        return remote.options(scheduling_strategy=strategy, **options)

    def examine(self, nodes: Sequence[ClusterNode]) -> list[ClusterNode]:
        """Examine nodes, all at a time."""
        tasks = [self.on_node(examination(), node.id, num_cpus=0).remote() for node in nodes]
        return [self._examined(node, task) for node, task in zip(nodes, tasks, strict=True)]

    def _examined(self, node: ClusterNode, task: Any) -> ClusterNode:
        try:
            said = self.ray.get(task, timeout=_EXAMINATION_S)
        except Exception as error:  # whatever Ray raises: the node cannot be used, and that is why
            words = " ".join(str(error).split())[-_LONGEST_WORDS:]
            return msgspec.structs.replace(node, why_not=f"it cannot be examined: {words}")
        if "missing" in said:
            python, missing = said["python"], said["missing"]
            why = f"this program is not installed there for Python {python}: {missing}"
            return msgspec.structs.replace(node, why_not=why)
        report = msgspec.convert(said, NodeReport)
        return msgspec.structs.replace(node, host=report.host, report=report)


def examination() -> Callable[[], dict[str, Any]]:
    """Return the examination as a function that travels by its content, not by its name."""

    def look() -> dict[str, Any]:
        import platform

        try:
            from hyperspace.executor.ray.worker import examine
        except ImportError as error:
            return {"python": platform.python_version(), "missing": str(error)}
        return examine()

    return look


@contextmanager
def connected(address: str, cpus: float | None = None) -> Generator[Cluster]:
    """Connect to a cluster while the context lasts; call it in the main thread.

    Args:
        address: `ray` for one of this process alone, `ray://HOST:PORT` for one that runs, where
            this machine is a node of, `ray://auto` for one that runs on this machine.
        cpus: Cores of one of this process; None for those that there are.

    Raises:
        ExecutorUnavailable: Ray is missing, or the cluster is not there or has another version.
        ExecutorUsageError: The address is none.
    """
    options = init_options(address, cpus)
    ray = library(own=address == RAY)
    if ray.is_initialized():
        yield Cluster(ray, address)
        return
    _connect(ray, address, options)
    cluster = Cluster(ray, address)
    try:
        yield cluster
    finally:
        if not cluster.is_gone:
            ray.shutdown()


def require_cluster(address: str) -> None:
    """Check that an address is that of a cluster which can be there already.

    Raises:
        ExecutorUsageError: It names this machine, or a cluster of one process alone.
    """
    if not address.startswith(_SCHEME):
        raise ExecutorUsageError(
            f"--executor {address} names no cluster that runs; name one with ray://HOST:PORT, or "
            "ray://auto for that of this machine"
        )


def init_options(address: str, cpus: float | None) -> dict[str, Any]:
    """Return what Ray is connected, or started, with.

    Raises:
        ExecutorUsageError: The address is none.
    """
    if address == RAY:
        return {
            "address": "local",
            "num_cpus": cpus,
            "include_dashboard": False,
            "object_store_memory": _OBJECT_STORE_BYTES,
            "_system_config": _SYSTEM_CONFIG,
        }
    where = address.removeprefix(_SCHEME)
    if address == where or not is_executor(address):
        raise ExecutorUsageError(f"{address!r} is no executor; there are {NAMES}")
    return {"address": where}


def require_listener(where: str, patience_s: float = _LISTENER_S) -> None:
    """Check that a cluster may listen at HOST:PORT; Ray itself would try for minutes.

    Args:
        where: The address; one without a port is passed over.
        patience_s: How long to wait for a connection, and for an answer.

    Raises:
        OSError: Nothing listens there, or what does speaks no HTTP/2, which a cluster does at once.
    """
    host, colon, port = where.rpartition(":")
    if not colon:
        return
    with socket.create_connection((host.strip("[]"), int(port)), patience_s) as line:
        if os.environ.get("RAY_USE_TLS", "0").lower() not in ("0", "false", ""):
            return  # Ray greets by itself, with its certificates
        line.settimeout(patience_s)
        line.sendall(_HTTP2_GREETING)
        said = line.recv(_HTTP2_HEAD_BYTES, socket.MSG_WAITALL)
    if said[_HTTP2_KIND] != _HTTP2_SETTINGS:
        raise OSError(f"what listens at {where} is no Ray cluster")


def _require_node(what_if_not: str) -> None:
    """Wait a little for a node on this machine, of whichever cluster; Ray itself waits a minute.

    Args:
        what_if_not: What is said where there is none.

    Raises:
        OSError: There is none.
    """
    find_node_ids = submodule("_private.services").find_node_ids  # what Ray itself asks
    give_up = time.monotonic() + _NODE_PATIENCE_S
    while not find_node_ids():
        if time.monotonic() > give_up:
            raise OSError(what_if_not)
        time.sleep(_NODE_POLL_S)


def _connect(ray: Any, address: str, options: dict[str, Any]) -> None:
    before, sigterm = scrub_own(), signal.getsignal(signal.SIGTERM)
    try:
        if address != RAY:
            require_listener(str(options["address"]))
            _require_node(_NO_CLUSTER if address == AUTO else _NO_NODE)
        ray.init(
            **options,
            namespace="hyperspace",
            log_to_driver=False,
            configure_logging=False,
            logging_level="ERROR",
        )
        # Else it prints what becomes of workers on our standard output, between our own words.
        submodule("_private.worker")._worker_logs_enabled = False
    except Exception as error:  # of many kinds, with pages of advice
        with suppress(Exception):
            ray.shutdown()
        words = " ".join(str(error.__cause__ or error).split())[-_LONGEST_WORDS:]
        if _NO_NODE_OF_RAY in words:
            words = _NO_NODE
        what = "no cluster could be started here" if address == RAY else "no cluster is reached"
        raise ExecutorUnavailable(
            f"{what} with --executor {address}: {words}; {WHAT_TO_DO}"
        ) from error
    finally:
        os.environ.update(before)
        signal.signal(signal.SIGTERM, sigterm)  # Ray's own would end us without a clean-up
