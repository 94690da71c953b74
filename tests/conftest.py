"""Tests marked `docker` get a daemon: the one that answers, or one of our own."""

import signal
from collections.abc import Generator

import pytest

from tests.support.servers.docker_daemon import daemon


def pytest_configure() -> None:
    """Undo what `nohup` does: what tests start would inherit an ignored Ctrl-C."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def docker_daemon() -> Generator[None]:
    """A daemon with the sandbox image; skips, with the reason, where there can be none."""
    with daemon() as why_not:
        if why_not is not None:
            pytest.skip(why_not)
        yield


@pytest.fixture(autouse=True)
def docker_where_asked(request: pytest.FixtureRequest) -> None:
    """Bring the daemon up before the first test that is marked."""
    if request.node.get_closest_marker("docker"):
        request.getfixturevalue("docker_daemon")
