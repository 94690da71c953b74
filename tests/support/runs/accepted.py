"""A pair on two real SDKs against `hyperspace serve`: killed, taken up again, and watched."""

import os
import subprocess
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from hyperspace.kernel.run.interrupts import BACKEND
from hyperspace.kernel.state.digest import digest
from hyperspace.spending.budget import SpendingLimits, SpendingState
from hyperspace.spending.ledger_file import read_lines
from hyperspace.spending.ledger_lines import SettledCall
from tests.support.command import HYPERSPACE
from tests.support.servers.server import ROOT, Server

CLAUDE: Final = "claude-sonnet-4-6"
KIMI: Final = "accounts/fireworks/routers/kimi-k2p5-turbo"
AMPLE: Final = SpendingLimits(usd=50.0, tokens=5_000_000)
COUNTED: Final = (
    "prompt_tokens",
    "completion_tokens",
    "cached_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
)
PRICES: Final = f"""format = 1
[[provider]]
name = "tests"
models = [
    {{ id = "{CLAUDE}", input = 3.0, cached_input = 0.3, output = 15.0 }},
    {{ id = "{KIMI}", input = 0.6, cached_input = 0.1, output = 2.5 }},
]
"""
LOOK_S: Final = 0.02
PATIENCE_S: Final = 300.0


class Play:
    """One run in as many processes as it takes, its ledger read at every moment.

    Attributes:
        limits: The limits in force, by the number of ledger lines at which they came in force.
        looks: How often the ledger was read while a process wrote it.
        errors: What the last process that ended by itself wrote to standard error.
    """

    def __init__(
        self, server: Server, folder: Path, options: str = "", generations: int = 1
    ) -> None:
        self.server = server
        self.limits: list[tuple[int, SpendingLimits]] = []
        self.looks = 0
        self.errors = ""
        self._results = folder / "results"
        self._prices = folder / "prices.toml"
        self._prices.write_text(PRICES)
        self._models = (CLAUDE + options, KIMI)
        self._generations = generations

    @property
    def run(self) -> Path:
        """The run's folder."""
        return self._results / "repo_quality" / "claude-sonnet-4-6_vs_kimi-k2p5-turbo" / "seed1"

    @property
    def digest(self) -> str:
        """Of the run as far as it has come."""
        return digest(self.run)

    def lines(self) -> Iterator[Any]:
        """The ledger, as far as it is written."""
        path = self.run / "ledger.jsonl"
        return read_lines(path) if path.exists() else iter(())

    def budget(self) -> SpendingState:
        """What the ledger adds up to."""
        budget = SpendingState()
        budget.take(self.lines())
        return budget

    def settled(self, model: str) -> dict[str, int]:
        """Replies of a model that were settled, and their tokens."""
        settled = (line for line in self.lines() if isinstance(line, SettledCall))
        replies = [line for line in settled if line.model.partition("?")[0] == model]
        sums = {name: sum(getattr(line, name) for line in replies) for name in COUNTED}
        return {"completed": len(replies), **sums}

    def end(self, backend: str, limits: SpendingLimits = AMPLE) -> int:
        """Play on until the process ends by itself; returns its exit code."""
        with self._process(backend, limits) as process:
            self._watch(limits, lambda: process.poll() is not None)
            self.errors = process.communicate()[1]
        return process.returncode

    def kill(
        self, backend: str, when: Callable[[SpendingState], bool], limits: SpendingLimits = AMPLE
    ) -> int:
        """Play on until the ledger says `when`, then kill the process; returns its exit code."""
        with self._process(backend, limits) as process:
            self._watch(limits, lambda: process.poll() is not None or when(self.budget()))
        return process.returncode

    @contextmanager
    def _process(self, backend: str, limits: SpendingLimits) -> Generator[subprocess.Popen[str]]:
        self.limits.append((sum(1 for _ in self.lines()), limits))
        root = self.server.url.removesuffix("/v1")
        environment = {
            **os.environ,
            "ANTHROPIC_BASE_URL": root,
            "ANTHROPIC_API_KEY": "key-of-anthropic",
            "FIREWORKS_BASE_URL": f"{root}/inference",
            "FIREWORKS_API_KEY": "key-of-fireworks",
            BACKEND: backend,
        }
        with subprocess.Popen(
            [*HYPERSPACE, *self._command(limits)],
            cwd=ROOT,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    def _command(self, limits: SpendingLimits) -> Sequence[str]:
        numbers = ("--generations", str(self._generations), "--seed", "1")
        most = ("--max-usd", str(limits.usd), "--max-tokens", str(limits.tokens))
        files = ("--results", str(self._results), "--prices", str(self._prices))
        task = ("--models", *self._models, "--domain", "repo_quality")
        return ("pair", *task, *numbers, *most, *files, "--json")

    def _watch(self, limits: SpendingLimits, over: Callable[[], bool]) -> None:
        until = time.monotonic() + PATIENCE_S
        while not over():
            assert time.monotonic() < until, "the run neither ended nor came where it should"
            assert fits(self.budget(), limits)
            self.looks += 1
            time.sleep(LOOK_S)


def fits(budget: SpendingState, limits: SpendingLimits) -> bool:
    """Whether spent plus reserved is within the limits."""
    tokens = budget.spent.tokens + budget.reserved_tokens()
    usd = budget.spent.cost_usd + budget.reserved_usd()
    return tokens <= (limits.tokens or 0) and usd <= (limits.usd or 0.0)


def limits_held(play: Play) -> bool:
    """Whether, after each single line of the ledger, the limits then in force were kept."""
    budget, in_force = SpendingState(), dict(play.limits)
    limits = play.limits[0][1]
    for number, line in enumerate(play.lines()):
        limits = in_force.get(number, limits)
        budget.take((line,))
        if not fits(budget, limits):
            return False
    return True


def counted(server: Server, model: str) -> dict[str, int]:
    """What the server counts of the replies of a model that it sent whole."""
    count = server.stats()["models"][model]
    return {name: count[name] for name in ("completed", *COUNTED)}
