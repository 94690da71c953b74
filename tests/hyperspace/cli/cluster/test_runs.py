"""Runs on a cluster of two nodes: one digest, whatever is killed in the middle."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import HYPERSPACE, PAIR, finished, hyperspace
from tests.support.paths import ROOT
from tests.support.servers.cable import Cable, NoNetwork, cable
from tests.support.servers.ray_cluster import RayCluster, RayNode

pytestmark = pytest.mark.cluster
PLAYING = "ray::play"  # how Ray calls a worker that plays a job
PAIR_OF_TWO = ("pair", *PAIR, "--generations", "2", "--seed", "3")
ARM = ("--domain", "repo_quality", "--model", "offline/tinker", "--no-controls")
ASKING = (
    *("solo", "--domain", "knowledge_qa", "--data", str(ROOT / "docs/examples/atlas")),
    *("--model", "offline/tinker", "--eval-model", "offline/examiner"),
    *("--judge", "offline/examiner", "--iterations", "2", "--seed", "3", "--no-controls"),
)
SET = ("solo", *ARM, "--seeds", "1,2", "--iterations", "3")
PATIENCE_S = 800.0


@pytest.fixture(scope="module")
def local_pair(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(played(*PAIR_OF_TWO, "--results", str(tmp_path_factory.mktemp("local")))["digest"])


@pytest.fixture(scope="module")
def local_set(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return digests(played(*SET, "--results", str(tmp_path_factory.mktemp("local"))))


def played(*arguments: str) -> Any:
    done = hyperspace(*arguments, "--json", timeout_s=PATIENCE_S)
    finished(done)
    return json.loads(done.stdout)


def digests(result: Any) -> list[str]:
    return [run["digest"] for run in result["runs"]]


def settled_calls(results: Path) -> list[tuple[str, str, int, int]]:
    """Purpose, id and tokens of each model call that the one run below a folder paid for."""
    (ledger,) = results.rglob("ledger.jsonl")
    lines = (json.loads(line) for line in ledger.read_text().splitlines())
    return sorted(
        (line["purpose"], line["call_id"], line["prompt_tokens"], line["completion_tokens"])
        for line in lines
        if line["kind"] == "settled"
    )


def on(cluster: RayCluster, results: Path) -> tuple[str, ...]:
    return ("--executor", cluster.address, "--slots", "2", "--results", str(results))


def started(*arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*HYPERSPACE, *arguments, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def awaited(look: Callable[[], list[int]], process: "subprocess.Popen[str]") -> list[int]:
    """Wait until something is there, while a command goes on."""
    until = time.monotonic() + PATIENCE_S
    while not (seen := look()):
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.01)
    return seen


def players(cluster: RayCluster) -> list[int]:
    """Workers that play a job at present."""
    return [pid for node in cluster.nodes_here for pid in cluster.pids(node, PLAYING)]


def test_a_pair_has_one_digest_here_and_on_a_cluster(
    ray_nodes: RayCluster, local_pair: str, tmp_path: Path
) -> None:
    assert played(*PAIR_OF_TWO, *on(ray_nodes, tmp_path))["digest"] == local_pair


def test_evaluated_code_asks_its_model_and_is_judged_by_way_of_the_coordinator(
    ray_nodes: RayCluster, tmp_path: Path
) -> None:
    here = played(*ASKING, "--results", str(tmp_path / "here"))
    there = played(*ASKING, *on(ray_nodes, tmp_path / "there"))
    assert there["digest"] == here["digest"]
    asked = settled_calls(tmp_path / "here")
    assert settled_calls(tmp_path / "there") == asked
    assert {"train", "val", "test"} <= {purpose for purpose, *_ in asked}
    assert any("judge" in call_id for _, call_id, *_ in asked)


def test_a_worker_that_is_killed_in_the_middle_changes_nothing(
    ray_nodes: RayCluster, local_pair: str, tmp_path: Path
) -> None:
    with started(*PAIR_OF_TWO, *on(ray_nodes, tmp_path)) as process:
        killed = awaited(lambda: players(ray_nodes), process)[0]
        os.kill(killed, signal.SIGKILL)
        output, complaint = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, complaint
    assert json.loads(output)["digest"] == local_pair


def test_a_cluster_that_is_gone_in_the_middle_pauses_the_run_in_a_sentence(
    ray_nodes: RayCluster, local_pair: str, tmp_path: Path
) -> None:
    (tmp_path / "nodes").mkdir()
    cluster, results = RayCluster(tmp_path / "nodes"), tmp_path / "r"
    try:
        with started(*PAIR_OF_TWO, *on(cluster, results)) as process:
            awaited(lambda: players(cluster), process)
            for pid in (cluster.head.process.pid, *cluster.pids(cluster.head)):
                os.kill(pid, signal.SIGKILL)
            _, complaint = process.communicate(timeout=PATIENCE_S)
    finally:
        cluster.end()
    assert process.returncode == 1
    assert "Traceback" not in complaint
    where = cluster.address.removeprefix("ray://")
    assert f"hyperspace: the cluster at {where} has gone, or was started anew; nothing" in complaint
    assert played(*PAIR_OF_TWO, *on(ray_nodes, results))["digest"] == local_pair


def test_a_node_that_is_out_of_reach_for_20_s_changes_nothing(
    ray_nodes: RayCluster, local_pair: str, tmp_path: Path
) -> None:
    """Its raylet and its workers are stopped: they answer nothing, and no connection is closed."""
    with started(*PAIR_OF_TWO, *on(ray_nodes, tmp_path)) as process:
        awaited(lambda: players(ray_nodes), process)
        node = ray_nodes.nodes_here[1]
        stopped = ray_nodes.pids(node)
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(20)
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)
        output, complaint = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, complaint
    assert json.loads(output)["digest"] == local_pair


def test_a_head_that_stalls_for_38_s_changes_nothing(local_pair: str, tmp_path: Path) -> None:
    (tmp_path / "nodes").mkdir()
    cluster = RayCluster(tmp_path / "nodes")
    try:
        with started(*PAIR_OF_TWO, *on(cluster, tmp_path / "r")) as process:
            awaited(lambda: players(cluster), process)
            (head,) = cluster.pids(cluster.head, "gcs_server")
            os.kill(head, signal.SIGSTOP)
            time.sleep(38)
            os.kill(head, signal.SIGCONT)
            output, complaint = process.communicate(timeout=PATIENCE_S)
    finally:
        cluster.end()
    assert process.returncode == 0, complaint
    assert json.loads(output)["digest"] == local_pair


def test_a_network_that_is_cut_for_20_s_changes_nothing(local_pair: str, tmp_path: Path) -> None:
    """All jobs are played at the other end of a cable, which is cut while one is."""
    with behind_a_cable(tmp_path) as (far, cluster, laid):
        command = (*PAIR_OF_TWO, "--executor", cluster.address, "--results", str(tmp_path / "r"))
        with started(*command) as process:
            awaited(lambda: cluster.pids(far, PLAYING), process)
            laid.cut()
            time.sleep(20)
            laid.mend()
            output, complaint = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, complaint
    assert json.loads(output)["digest"] == local_pair


@contextmanager
def behind_a_cable(folder: Path) -> Generator[tuple[RayNode, RayCluster, Cable]]:
    """A cluster whose head plays nothing, and whose other node is at the end of a cable."""
    with ExitStack() as stack:
        try:
            laid = stack.enter_context(cable())
        except NoNetwork as error:
            pytest.skip(str(error))
        cluster = RayCluster(folder, host=laid.here, cpus=0)
        stack.callback(cluster.end)
        far = cluster.add(host=laid.there, within=laid.within)
        cluster.wait_for(2)
        yield far, cluster, laid


def test_whole_runs_come_back_verified_and_are_one_s_own(
    ray_nodes: RayCluster, local_set: list[str], tmp_path: Path
) -> None:
    result = played(*SET, *on(ray_nodes, tmp_path))
    assert digests(result) == local_set
    run = result["runs"][0]["run"]
    audit = hyperspace("audit", run, "--head", result["runs"][0]["audit_head"])
    assert audit.returncode == 0, audit.stderr
    resumed = hyperspace("resume", run, "--json")
    assert json.loads(resumed.stdout)["digest"] == local_set[0], resumed.stderr


def test_a_coordinator_that_is_killed_goes_on_with_the_same_command(
    ray_nodes: RayCluster, local_set: list[str], tmp_path: Path
) -> None:
    command = (*SET, *on(ray_nodes, tmp_path))
    with started(*command) as process:
        awaited(lambda: players(ray_nodes), process)
        process.send_signal(signal.SIGKILL)
    assert digests(played(*command)) == local_set
    assert digests(played(*command)) == local_set, "and again, with nothing left to do"


def test_a_cluster_of_the_command_alone_ends_with_it(local_pair: str, tmp_path: Path) -> None:
    options = ("--executor", "ray", "--slots", "2", "--results", str(tmp_path))
    assert played(*PAIR_OF_TWO, *options)["digest"] == local_pair


def test_doctor_and_workers_tell_of_each_node(ray_nodes: RayCluster) -> None:
    doctor = hyperspace("doctor", "--executor", ray_nodes.address, "--json", timeout_s=PATIENCE_S)
    assert doctor.returncode == 0, doctor.stderr
    nodes = json.loads(doctor.stdout)["nodes"]
    assert [node["refused"] for node in nodes] == ["", ""]
    assert all(node["python"] == sys.version.split()[0] for node in nodes)
    workers = hyperspace("workers", "--executor", ray_nodes.address, timeout_s=PATIENCE_S)
    assert workers.stdout.count(": 2 slots") == 2, workers.stderr
