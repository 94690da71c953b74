"""A Docker daemon for the tests: the machine's own, or one started here and stopped at the end."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from guards.sandboxes.docker.container import probe
from guards.sandboxes.docker.daemon import connect
from guards.sandboxes.docker.image import build_image, require_image
from guards.sandboxes.sandbox import SandboxError, SandboxUnavailable

START_S = 120.0
STOP_S = 60.0
# Sandboxes have no network, so the daemon needs neither a bridge nor rules.
OPTIONS = ("--iptables=false", "--ip6tables=false", "--bridge=none")


@contextmanager
def daemon() -> Generator[str | None]:
    """Have a daemon with the sandbox image; gives None, or why there is none."""
    if (why := why_not()) is None:
        yield prepared()
    elif shutil.which("dockerd") is None:
        yield f"{why} [no dockerd: apt-get install docker.io]"
    elif os.geteuid() != 0:
        yield f"{why} [only root can start dockerd for the tests]"
    else:
        with own_daemon() as failure:
            yield failure or prepared()


def why_not() -> str | None:
    """Tell why no daemon answers; None when one does."""
    try:
        with closing(connect()):
            return None
    except SandboxUnavailable as error:
        return str(error)


def prepared() -> str | None:
    """Build the image where it is missing or stale; None when the sandbox works then."""
    try:
        with closing(connect()) as client:
            try:
                require_image(client)
            except SandboxUnavailable:
                build_image(client)
    except SandboxError as error:
        return str(error)
    probe.cache_clear()
    return probe()


@contextmanager
def own_daemon() -> Generator[str | None]:
    """Start dockerd on a socket of its own; gives None, or the end of its log when it ended."""
    folder = Path(tempfile.mkdtemp(prefix="hs-docker-", dir="/tmp"))
    places = {"data-root": "data", "exec-root": "run", "pidfile": "pid"}
    command = ["dockerd", *OPTIONS, f"--host=unix://{folder}/s"]
    command += [f"--{option}={folder / name}" for option, name in places.items()]
    log = folder / "log"
    with log.open("wb") as output, pytest.MonkeyPatch.context() as patch:
        patch.setenv("DOCKER_HOST", f"unix://{folder}/s")
        process = subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True)
        try:
            yield None if answers(process) else f"dockerd cannot run here: {end_of(log)}"
        finally:
            stop(process)
            probe.cache_clear()
            shutil.rmtree(folder, ignore_errors=True)


def answers(process: subprocess.Popen[bytes]) -> bool:
    """Wait until it answers, or has ended."""
    until = time.monotonic() + START_S
    while time.monotonic() < until and process.poll() is None:
        if why_not() is None:
            return True
        time.sleep(0.2)
    return False


def stop(process: subprocess.Popen[bytes]) -> None:
    """End it, in order if it can."""
    process.terminate()
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def end_of(log: Path) -> str:
    """What it said last."""
    return " ".join(log.read_text(errors="replace").split())[-400:]
