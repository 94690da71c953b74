"""Runs whose server fails for ever at one conversation."""

import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from hyperspace.kernel.state.digest import digest
from tests.support.command import failed, finished, hyperspace
from tests.support.runs.steered import SteeredRun
from tests.support.servers.quirk_proxy import Quirk, QuirkProxy, RefusalRule, quirk_proxy
from tests.support.servers.server import serving

FAULT: Final = '{"error": {"code": 500, "message": "Value is not callable: null at row 62"}}'
AT_ONCE: Final = ("--outage-minutes", "0")
PATIENT: Final = ("--outage-minutes", "10")


class Servers(NamedTuple):
    """Two models, `a` and `b`, behind a proxy."""

    proxy: QuirkProxy

    def stuck(self, name: str, conversation: int = 2, says: str = FAULT) -> str:
        """An address where one conversation of a run, and it alone, has no answer."""
        rule = RefusalRule(status=500, body=says, conversation=conversation)
        return self._address(Quirk(name, "", refuse=(rule,)))

    def well(self) -> str:
        """An address where nothing is wrong."""
        return self._address(Quirk("well", ""))

    def _address(self, quirk: Quirk) -> str:
        self.proxy.quirks = {**self.proxy.quirks, quirk.name: quirk}
        return f"?stream=off@{self.proxy.url(quirk)}"


@contextmanager
def stuck_servers() -> Generator[Servers]:
    """Serve both models while the context lasts."""
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


def stuck_pair(folder: Path, servers: Servers, *options: str) -> StuckRun:
    """A pair in turns, in which agent `a` cannot make its first generation."""
    models = ("--models", f"a{servers.stuck(folder.name)}", f"b{servers.well()}")
    words = ("--domain", "repo_quality", "--generations", "2", "--seed", "5", *options)
    return StuckRun(folder, "repo_quality/a_vs_b/seed5", "pair", *models, *words)
