"""Tests marked `docker` get a daemon: the one that answers, or one of our own."""

import gc
import os
import signal
from collections.abc import Generator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings

from tests.support.servers.docker_daemon import daemon
from tests.support.servers.ray_cluster import RayCluster


def pytest_configure(config: pytest.Config) -> None:
    """Keep out of the person's home; undo an ignored Ctrl-C; give property tests no deadline."""
    if not hasattr(config, "workerinput"):  # workers have it from the process that starts them
        state = TemporaryDirectory(prefix="hyperspace-test-state-")
        for name in ("STATE_HOME", "CONFIG_HOME", "CACHE_HOME", "RUNTIME_DIR"):
            os.environ[f"XDG_{name}"] = state.name
        config.add_cleanup(state.cleanup)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # Ten thousand tests are collected by each worker: what is kept is not looked through each time.
    gc.disable()
    # An example is not wrong because the machine is busy: speed is for `make bench`.
    settings.register_profile("untimed", deadline=None)
    settings.load_profile("untimed")


def pytest_collection_finish() -> None:
    """Collect garbage again, but not among what was collected of tests."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def docker_daemon() -> Generator[None]:
    """A daemon with the sandbox image; skips, with the reason, where there can be none."""
    with daemon() as why_not:
        if why_not is not None:
            pytest.skip(why_not)
        yield


@pytest.fixture(scope="session")
def ray_nodes() -> Generator[RayCluster]:
    """A cluster of two nodes on this machine; skips, with the reason, where there can be none."""
    if find_spec("ray") is None:
        pytest.skip("ray is missing, which the extra ray has")
    with TemporaryDirectory(prefix="hs-ray-") as folder:
        try:
            cluster = RayCluster(Path(folder))
        except TimeoutError as error:
            pytest.skip(str(error))
        try:
            cluster.add()
            cluster.wait_for(2)
            yield cluster
        finally:
            cluster.end()


@pytest.fixture(autouse=True)
def docker_where_asked(request: pytest.FixtureRequest) -> None:
    """Bring the daemon up before the first test that is marked."""
    if request.node.get_closest_marker("docker"):
        request.getfixturevalue("docker_daemon")
