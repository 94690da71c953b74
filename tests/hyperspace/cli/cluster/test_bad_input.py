"""What is wrong with a cluster, or with what is asked of it, is one sentence; nothing is lost."""

import json
import os
import signal
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import anyio
import pytest

from hyperspace.executor.base import JobCallbacks
from hyperspace.executor.jobs import PYTHON, CommandJob, JobOutcome
from tests.hyperspace.executor.contract.executors import CLUSTER, OPENED
from tests.support.command import PAIR, failed, hyperspace, pair
from tests.support.paths import ROOT
from tests.support.servers.ray_cluster import RayCluster, RayNode

PATIENCE_S = 800.0
SHORT = ("pair", *PAIR, "--generations", "1", "--seed", "3")


@pytest.mark.cluster
def test_an_address_where_nothing_listens(tmp_path: Path) -> None:
    options = ("--executor", "ray://127.0.0.1:9", "--results", str(tmp_path))
    told = failed(hyperspace(*SHORT, *options, timeout_s=PATIENCE_S), 1)
    assert "no cluster is reached with --executor ray://127.0.0.1:9" in told
    assert pair(tmp_path, generations=1)["digest"], "the same run goes on here"


@pytest.mark.cluster
def test_an_address_where_something_else_listens(tmp_path: Path) -> None:
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        where = f"127.0.0.1:{server.server_port}"
        options = ("--executor", f"ray://{where}", "--results", str(tmp_path))
        told = failed(hyperspace(*SHORT, *options, timeout_s=PATIENCE_S), 1)
        server.shutdown()
    assert f"what listens at {where} is no Ray cluster; nothing is lost" in told


@pytest.mark.cluster
def test_a_cluster_that_this_machine_is_no_node_of(tmp_path: Path) -> None:
    (tmp_path / "nodes").mkdir()
    cluster = RayCluster(tmp_path / "nodes")
    head = cluster.head.process
    try:
        head.send_signal(signal.SIGSTOP)  # it would end the cluster with its node
        for pid in cluster.pids(cluster.head, "raylet/raylet"):
            os.kill(pid, signal.SIGKILL)
        options = ("--executor", cluster.address, "--results", str(tmp_path))
        told = failed(hyperspace(*SHORT, *options, timeout_s=PATIENCE_S), 1)
    finally:
        head.send_signal(signal.SIGCONT)
        cluster.end()
    assert f"{cluster.address}: this machine is no node of it; make it one (ray start" in told


@pytest.mark.parametrize(
    "name", ["rai", "ray://", "ray://here", "10.0.0.1:6379", "ray://10.0.0.1:65536"]
)
def test_a_name_that_is_no_executor(name: str) -> None:
    done = hyperspace(*SHORT, "--executor", name)
    assert done.returncode == 2
    assert "there are local, ray, and ray://HOST:PORT" in done.stderr


def test_slots_without_a_cluster(tmp_path: Path) -> None:
    told = failed(hyperspace(*SHORT, "--slots", "3", "--results", tmp_path), 2)
    assert "--slots is said of the nodes of a cluster; add --executor ray" in told


@pytest.mark.cluster
def test_a_slot_with_a_card_where_there_is_none(ray_nodes: RayCluster, tmp_path: Path) -> None:
    options = ("--executor", ray_nodes.address, "--slot", "gpus=1", "--results", str(tmp_path))
    told = failed(hyperspace(*SHORT, *options, timeout_s=PATIENCE_S), 2)
    assert "a slot is to have 1 GPUs, and no node of the cluster has more than 0" in told


@pytest.mark.cluster
@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("another version", "it has another version of this program"),
        ("no sandbox", "no sandbox confines code there"),
        ("a key", "the environment of its workers holds ANTHROPIC_API_KEY"),
        ("a full disk", "its disk is full"),
    ],
)
def test_a_node_that_may_play_nothing_is_refused_with_the_reason(
    what: str, told: str, ray_nodes: RayCluster, tmp_path: Path
) -> None:
    node = ray_nodes.add(env=environment(what, tmp_path))
    try:
        ray_nodes.wait_for(3)
        reasons = refusals(ray_nodes, tmp_path)
        assert sorted(reasons)[:2] == ["", ""], "the others play on"
        assert told in sorted(reasons)[2]
    finally:
        leave(ray_nodes, node, tmp_path)


@pytest.mark.cluster
def test_a_job_that_fills_a_disk_is_played_on_another_node(
    ray_nodes: RayCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = ray_nodes.add(env=environment("a small disk", tmp_path), cpus=8)  # has the most room
    try:
        ray_nodes.wait_for(3)
        monkeypatch.setenv(CLUSTER, ray_nodes.address)
        played = tmp_path / "played"
        program = (
            f"import os; print(os.getcwd(), file=open({str(played)!r}, 'a'))\n"
            "open('big', 'wb').write(bytes(150 * 1024**2)); print('written')"
        )
        job = CommandJob(commands=((PYTHON, "-c", program),))
        outcome = anyio.run(played_on_the_cluster, tmp_path, job)
        assert (outcome.state, outcome.lines) == ("done", (b"written",)), outcome.reason
        first, second = played.read_text().splitlines()
        assert first.startswith(str(tmp_path / "small"))
        assert not second.startswith(str(tmp_path / "small"))
    finally:
        leave(ray_nodes, node, tmp_path)


async def played_on_the_cluster(folder: Path, job: CommandJob) -> JobOutcome:
    async with OPENED["ray"](folder, 1) as executor:
        return await executor.wait(await executor.submit(job, JobCallbacks()))


def refusals(cluster: RayCluster, folder: Path) -> list[str]:
    # Elsewhere than in our sources: Ray puts the folder of work in front of what workers import.
    done = hyperspace(
        *("doctor", "--executor", cluster.address, "--json"), cwd=folder, timeout_s=PATIENCE_S
    )
    return [node["refused"] for node in json.loads(done.stdout)["nodes"]]


def environment(what: str, folder: Path) -> dict[str, str]:
    """Variables of a node that cannot be used."""
    if what == "another version":
        return {"PYTHONPATH": str(other_version(folder))}
    if what == "no sandbox":
        (folder / "bin").mkdir()
        (folder / "bin" / "python").symlink_to(sys.executable)
        return {"PATH": str(folder / "bin")}
    if what == "a key":
        return {"ANTHROPIC_API_KEY": "not-a-key"}
    small, megabytes = folder / "small", 96 if what == "a small disk" else 8
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", small]
    mounted = subprocess.run(mount, check=False, capture_output=True)
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.decode()}")
    return {"TMPDIR": str(small)}


def other_version(folder: Path) -> Path:
    """Copy the program, with one line more."""
    target = folder / "program"
    files = subprocess.run(
        ["git", "ls-files", "*.py"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    for name in files.stdout.split():
        if not name.startswith(("tests/", "benchmarks/", "docs/")):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes((ROOT / name).read_bytes())
    with (target / "hyperspace" / "executor" / "__init__.py").open("a") as file:
        file.write("# another version\n")
    return target


def leave(cluster: RayCluster, node: RayNode, folder: Path) -> None:
    node.end()
    cluster.wait_until_gone(node)
    if os.path.ismount(folder / "small"):
        subprocess.run(["umount", "-l", folder / "small"], check=True)
