"""A server that fails for ever at one conversation: the run says so, and a person gets it past."""

import subprocess
from collections.abc import Generator
from pathlib import Path
from typing import NamedTuple

import pytest

from evolution.state.digest import digest
from tests.support.command import failed, finished, hyperspace
from tests.support.runs.steered import SteeredRun, read_until
from tests.support.sandboxes import needs_bubblewrap
from tests.support.servers.quirk_proxy import Quirk, QuirkProxy, RefusalRule, quirk_proxy
from tests.support.servers.server import serving

pytestmark = [pytest.mark.long, needs_bubblewrap]

FAULT = '{"error": {"code": 500, "message": "Value is not callable: null at row 62"}}'
AT_ONCE = ("--outage-minutes", "0")
PATIENT = ("--outage-minutes", "10")


class Servers(NamedTuple):
    """Two models, `a` and `b`, behind a proxy."""

    proxy: QuirkProxy

    def stuck(self, name: str, conversation: int = 2) -> str:
        """An address where one conversation of a run, and it alone, has no answer."""
        rule = RefusalRule(status=500, body=FAULT, conversation=conversation)
        return self._address(Quirk(name, "", refuse=(rule,)))

    def well(self) -> str:
        """An address where nothing is wrong."""
        return self._address(Quirk("well", ""))

    def _address(self, quirk: Quirk) -> str:
        self.proxy.quirks = {**self.proxy.quirks, quirk.name: quirk}
        return f"?stream=off@{self.proxy.url(quirk)}"


@pytest.fixture(scope="module")
def servers() -> Generator[Servers]:
    with (
        serving("a=tinker", "b=magpie") as server,
        quirk_proxy(server.url.removesuffix("/v1")) as proxy,
    ):
        yield Servers(proxy)


class StuckRun(SteeredRun):
    """A run that can be paused by its server."""

    def play_on(self, *options: str) -> "subprocess.CompletedProcess[str]":
        """Play as far as it gets."""
        return hyperspace(*self._command, *options, timeout_s=300)

    def pause(self) -> str:
        """Play until it pauses; returns what it says."""
        return failed(self.play_on(*AT_ONCE), 1)

    def end(self) -> str:
        """Play to the end, hold it against its record and its space; returns the digest."""
        done = self.play_on(*AT_ONCE)
        finished(done)
        self.assert_replays()
        self.assert_audited()
        return digest(self.path)

    def give_up(self, *words: str) -> None:
        """Give up what is under way."""
        self.steer("give-up", *words)


def pair(folder: Path, servers: Servers) -> StuckRun:
    """A pair in turns, in which agent `a` cannot make its first generation."""
    models = (f"a{servers.stuck(folder.name)}", f"b{servers.well()}")
    words = ("--domain", "repo_quality", "--generations", "2", "--seed", "5")
    return StuckRun(folder, "repo_quality/a_vs_b/seed5", "pair", "--models", *models, *words)


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory, servers: Servers) -> str:
    """The digest of a pair that is given up at its first pause."""
    run = pair(tmp_path_factory.mktemp("first") / "first", servers)
    told = run.pause()
    assert "give-up" not in told
    run.give_up("a")
    return run.end()


def test_the_third_start_that_ends_at_one_call_says_so(
    tmp_path: Path, servers: Servers, reference: str
) -> None:
    run = pair(tmp_path / "third", servers)
    for _ in range(2):
        assert "give-up" not in run.pause()
    told = run.pause().removeprefix("hyperspace: ")
    assert told.startswith("a gen 1: the call modify//1 to a?stream=off failed 3 times over 3 ")
    assert "Value is not callable: null at row 62" in told
    assert "asked nothing else meanwhile" in told
    assert f"hyperspace steer {run.path} give-up a (" in told
    seen = hyperspace("watch", run.path, "--once")
    assert f"paused: {told}" in seen.stdout.splitlines()
    refused = hyperspace("audit", run.path, "--kind", "outage")
    assert refused.returncode == 0
    run.give_up("a")
    again = failed(hyperspace("steer", run.path, "give-up", "a"), 2)
    assert "generation 1 of a was given up before" in again
    assert run.end() == reference
    record = run.metadata("a", 1)
    assert (record["valid"], record["error_class"]) == (False, "infrastructure")
    assert run.metadata("a", 2)["valid"]
    (mark,) = run.listed()["marks"]
    assert (mark["effect"], mark["places"]) == ("applied", [{"agent": "a", "generation": 1}])


def test_a_run_that_is_played_need_not_wait_for_the_outage_limit(
    tmp_path: Path, servers: Servers, reference: str
) -> None:
    run = pair(tmp_path / "playing", servers)
    with run.command(*PATIENT) as process:
        read_until(process, "trying for 10 minutes")
        run.give_up("a")
        read_until(process, "principal: give-up a 1")
        process.communicate(timeout=120)
    assert process.returncode == 0
    assert run.end() == reference


def test_a_run_that_is_killed_around_a_give_up_ends_as_one_that_never_was(
    tmp_path: Path, servers: Servers, reference: str
) -> None:
    run = pair(tmp_path / "killed", servers)
    with run.command(*PATIENT) as process:
        read_until(process, "trying for 10 minutes")
        run.give_up("a")
        process.kill()
    for step in ("look", "materialize", "publish", "commit", "report"):
        run.play_until(f"a:1:{step}")
    assert run.end() == reference


def test_a_run_that_is_killed_when_a_give_up_is_taken_in_the_middle_ends_alike(
    tmp_path: Path, servers: Servers, reference: str
) -> None:
    run = pair(tmp_path / "middle", servers)
    with run.start("Notice", *PATIENT) as process:  # the server's trouble is told first
        process.communicate(timeout=120)
    with run.command(*PATIENT) as process:
        read_until(process, "trying for 10 minutes")
        run.give_up("a")
        read_until(process, "principal: give-up a 1")
        process.kill()
    assert run.end() == reference
