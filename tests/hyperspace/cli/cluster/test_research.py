"""Research runs on a cluster: one digest, whatever is killed; a run that machines fail pauses."""

import json
import os
import signal
from pathlib import Path

import pytest

from tests.hyperspace.cli.cluster.test_runs import PATIENCE_S, awaited, played, players, started
from tests.hyperspace.research.environments import CONFIG, write_small
from tests.hyperspace.research.runs import IDEATOR
from tests.support.command import failed, hyperspace
from tests.support.servers.ray_cluster import RayCluster

pytestmark = pytest.mark.cluster
SEARCH = ("research", "--env", "fit_line", "--models", IDEATOR, "--epochs", "2", "--ideas", "2")


def on(cluster: RayCluster, results: Path) -> tuple[str, ...]:
    return ("--executor", cluster.address, "--results", str(results))


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(played(*SEARCH, "--results", str(tmp_path_factory.mktemp("here")))["digest"])


def test_a_killed_worker_and_a_killed_coordinator_change_nothing(
    ray_nodes: RayCluster, here: str, tmp_path: Path
) -> None:
    command = (*SEARCH, *on(ray_nodes, tmp_path))
    with started(*command) as process:
        os.kill(awaited(lambda: players(ray_nodes), process)[0], signal.SIGKILL)
        awaited(lambda: ideas(tmp_path), process)
        process.kill()
        process.communicate()
    fields = played(*command)
    assert (fields["digest"], sum(fields["states"].values())) == (here, 5)
    again = hyperspace("resume", fields["run"], "--executor", ray_nodes.address, "--json")
    assert json.loads(again.stdout)["digest"] == here


def ideas(results: Path) -> list[int]:
    return [int(path.name) for path in results.glob("fit_line/search/seed42/ideas/*")]


def test_what_no_node_can_play_pauses_the_run_and_says_why(
    ray_nodes: RayCluster, tmp_path: Path
) -> None:
    missing = CONFIG.replace("[job]", '[job]\npackages = ["not_there_at_all"]', 1)
    env = write_small(tmp_path / "env", {"env.toml": missing})
    command = ("research", "--env", str(env), "--models", IDEATOR, *on(ray_nodes, tmp_path / "r"))
    told = failed(hyperspace(*command, timeout_s=PATIENCE_S), 1)
    assert "a job was lost" in told and "not_there_at_all" in told
    card = CONFIG.replace("[job]", "[job]\ngpus = 1", 1)
    env = write_small(tmp_path / "card", {"env.toml": card})
    command = ("research", "--env", str(env), "--models", IDEATOR, *on(ray_nodes, tmp_path / "r2"))
    told = failed(hyperspace(*command, timeout_s=PATIENCE_S), 2)
    assert "1 GPUs, and no node of the cluster has more than 0" in told
