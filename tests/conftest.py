"""Tests marked `docker` get a daemon: the one that answers, or one of our own."""

import signal
from collections.abc import Generator

import pytest
from hypothesis import settings

from tests.support.servers.docker_daemon import daemon


def pytest_configure() -> None:
    """Undo an ignored Ctrl-C, which programs would inherit; give property tests no deadline."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # An example is not wrong because the machine is busy: speed is for `make bench`.
    settings.register_profile("untimed", deadline=None)
    settings.load_profile("untimed")


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
