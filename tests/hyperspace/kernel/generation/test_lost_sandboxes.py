"""What holds the sandboxes is killed in the middle of a run; the result is the same."""

import os
import signal
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from guards.sandboxes.sandbox import SandboxLost
from hyperspace.kernel.events import Event, ItemEvaluated, ModelCalled
from tests.support.processes import descendants, left_after
from tests.support.sandboxes import needs_bubblewrap
from transfer_experiment.options import PairOptions
from transfer_experiment.pair import run_pair

pytestmark = [pytest.mark.long, needs_bubblewrap]


END_S = 120.0


class Killer:
    """An observer that kills what holds the sandboxes, whenever one of its events is due."""

    def __init__(self, due: Iterable[Callable[[Event], bool]]) -> None:
        self._due = list(due)
        self._before = descendants(os.getpid())

    def __call__(self, event: Event) -> None:
        if not self._due or not self._due[0](event):
            return
        # The kernel's list of children may be short while others come and go: the next event is
        # as good.
        started = descendants(os.getpid()) - self._before
        if monitors := list(filter(is_monitor, started)):
            self._due.pop(0)
            for pid in monitors:
                os.kill(pid, signal.SIGKILL)
            # What they hold ends a moment later, and could answer all that is left to ask.
            assert not left_after(END_S, started)

    @property
    def is_done(self) -> bool:
        return not self._due


def is_monitor(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/comm").read_text() == "bwrap\n"
    except OSError:
        return False


def play(folder: Path, killer: Killer, sandbox: str) -> str:
    models = "offline/tinker", "offline/magpie"
    options = PairOptions(
        models=models,
        domain="repo_quality",
        generations=1,
        seed=3,
        sandbox=sandbox,
        results=folder,
        command=(),
    )
    return run_pair(options, killer).digest


def is_call(event: Event) -> bool:
    return isinstance(event, ModelCalled)


def is_item(event: Event) -> bool:
    return isinstance(event, ItemEvaluated) and event.split == "val" and event.done >= 7


def is_test_item(event: Event) -> bool:
    return isinstance(event, ItemEvaluated) and event.split == "test"


@pytest.mark.parametrize("sandbox", ["bubblewrap", "bubblewrap-cold"])
def test_a_run_whose_sandboxes_are_killed_ends_as_it_would_have(
    tmp_path: Path, sandbox: str
) -> None:
    killer = Killer([is_item, is_call, is_item, is_test_item])
    disturbed = play(tmp_path / "disturbed", killer, sandbox)
    assert killer.is_done
    assert disturbed == play(tmp_path / "plain", Killer([]), sandbox)
    abandoned = (tmp_path / "disturbed").glob("*/*/*/abandoned/*")
    assert {path.name.rpartition("_")[0].partition("_")[2] for path in abandoned} == {
        "gen_0",
        "gen_1",
        "test_eval",
    }


def test_a_turn_that_loses_each_sandbox_stops_the_run_and_says_that_it_can_go_on(
    tmp_path: Path,
) -> None:
    with pytest.raises(SandboxLost, match="nothing is lost, the same command goes on"):
        play(tmp_path, Killer([is_item] * 9), "bubblewrap")
    assert play(tmp_path, Killer([]), "bubblewrap")
