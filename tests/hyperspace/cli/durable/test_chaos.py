"""Fifty times kill -9, spread over all steps of a long run, while its provider fails at times."""

import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

import pytest

from hyperspace.kernel.events import Step
from hyperspace.kernel.generation.run_context import run_label
from hyperspace.kernel.state.digest import digest
from tests.support.command import hyperspace, kill_at
from tests.support.sandboxes import left_of
from tests.support.servers.server import Server, serving

GENERATIONS = 60
KILLS = 50
STEPS = get_args(Step)
KINDS = (*STEPS[:3], "call", *STEPS[3:6], "item", *STEPS[6:])
FAULTS = ("429=0.03", "500=0.02", "cut=0.02")
LONGEST_S = 3600
NUMBERS = ("--generations", str(GENERATIONS), "--seed", "5", "--eval-workers", "2")


@pytest.mark.slow
def test_killed_fifty_times_a_long_run_ends_as_if_undisturbed(tmp_path: Path) -> None:
    rates = [part for fault in FAULTS for part in ("--fault", fault)]
    options = (*rates, "--retry-after-s", "0", "--seed", "7")
    with serving("a=tinker", "b=magpie", options=options) as server:
        undisturbed = Chaotic(tmp_path / "undisturbed", server)
        assert undisturbed.play("-") == 0
        positions = list(spread(undisturbed.reached(), KILLS))
        print("\n".join(positions))
        assert {kind_of(position) for position in positions} == set(KINDS)
        run = Chaotic(tmp_path / "killed", server)
        for position in positions:
            assert run.play(position) == -signal.SIGKILL, f"{position} was never reached"
            assert run.reached()[-1] == position
            assert left_of(run_label(run.path)) == []
        assert run.play("-") == 0
    assert digest(run.path) == digest(undisturbed.path)
    assert hyperspace("audit", run.path).returncode == 0


class Chaotic:
    """A run on a server, started again and again."""

    def __init__(self, results: Path, server: Server) -> None:
        self._log = results.with_name(f"{results.name}.log")
        models = (f"a@{server.url}", f"b@{server.url}")
        self._command = ("pair", "--models", *models, "--domain", "repo_quality", *NUMBERS)
        self._results = results
        self.path = results / "repo_quality" / "a_vs_b" / "seed5"

    def play(self, position: str) -> int:
        """Play on, up to a position; returns the exit code."""
        arguments = (*self._command, "--results", self._results)
        return kill_at(self._log, position, *arguments, timeout_s=LONGEST_S).returncode

    def reached(self) -> list[str]:
        """Every position that was reached so far, in order."""
        return self._log.read_text().splitlines()


def spread(reached: Sequence[str], count: int) -> Iterator[str]:
    """Choose positions from equal parts of what was reached, each kind of position in turn."""
    places = [name for name in reached if kind_of(name)]
    for number in range(count):
        begin, end = (len(places) * n // count for n in (number, number + 1))
        kind = KINDS[number % len(KINDS)]
        yield next((p for p in places[begin:end] if kind_of(p) == kind), places[begin])


def kind_of(position: str) -> str:
    """The kind of a position in a generation; empty for what is none, such as `event:7`."""
    parts = position.split(":")
    return parts[2] if len(parts) > 2 and parts[2] in KINDS else ""
