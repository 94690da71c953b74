"""kill -9 between a wish and its effect, in solo arms and in a fleet at its own pace."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hyperspace.extensions.steering import requests
from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.state.closings import count_closed
from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.digest import digest
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.opening import reading
from hyperspace.runs.steering import NeedEntry, read_steering
from tests.support.runs.fleet_files import THREE, fleet_file
from tests.support.runs.steered import SteeredRun
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [pytest.mark.long, needs_bubblewrap]

WAIT_S = 300.0
ASKS = """
import pathlib
from agent.agentic_loop import chat_with_agent
from agent.tools import load_tools

class MetaAgent:
    def __init__(self, model, temperature=0.0):
        self.model = model

    def forward(self, repo_path, eval_path, iterations_left=None):
        said = pathlib.Path(repo_path, "principal", "messages.jsonl")
        text = said.read_text() if said.exists() else ""
        asked = {"question": f"Which column, with {iterations_left} left?", "blocking": "yes"}
        text += load_tools()["need"].run(asked)
        task = pathlib.Path(repo_path, "task_agent.py")
        task.write_text(task.read_text() + f"# {text!r}\\n")
        chat_with_agent(f"Modify {repo_path}.", model=self.model, history=[], tools="all")
"""
# Timing decides what agents see of each other, and nothing else here.
OWN_PACE = 'generations = 3\nschedule = "concurrent"\nsharing = {arm = "none"}'


class Played:
    """A run of agents that ask in each generation; it is steered and answered from here.

    Attributes:
        path: The run's folder.
        is_killed: Whether it is killed where the test says; else it goes on there.
    """

    def __init__(self, folder: Path, below: str, *words: str | Path, is_killed: bool) -> None:
        initial = folder / "initial"
        initial.mkdir(parents=True)
        (initial / "meta_agent.py").write_text(ASKS)
        more = ("--needs", "--initial", initial, "--eval-samples", "4")
        self._run = SteeredRun(folder / "results", below, *words, *more)
        self.path, self.is_killed = self._run.path, is_killed
        self._process = self._run.command()

    def kill(self) -> None:
        """Kill the process."""
        if self.is_killed:
            self._process.kill()
            self._process.communicate(timeout=WAIT_S)

    def go_on(self, *positions: str) -> None:
        """Go on after a kill; killed at each of these positions, in this order, once more."""
        if self.is_killed:
            for position in positions:
                self._run.play_until(position)
            self._process = self._run.command()

    def pause(self, *agents: str) -> None:
        """Pause the run when these agents ask, and answer them: each ends its generation."""
        needs = [self._need(agent) for agent in agents]
        requests.ask_for(self.path, requests.pause())
        for need in needs:
            requests.ask_for(self.path, requests.answer(need.id, f"the third, {need.agent}"))
        closed = {need.agent: need.generation + 1 for need in needs}
        with reading(RunFolder(self.path), read_record_of(self.path).configuration) as marks:
            self._wait(lambda: all(count_closed(marks, n) == closed[n] for n in closed))

    def answer(self, *agents: str) -> None:
        """Answer each of these agents when it asks."""
        for agent in agents:
            wish = requests.answer(self._need(agent).id, f"the third, {agent}")
            requests.ask_for(self.path, wish)

    def end(self) -> str:
        """Wait for the end of the run; returns its digest."""
        _, told = self._process.communicate(timeout=WAIT_S)
        assert self._process.returncode == 0, told
        for mark in read_steering(self.path).marks:
            assert mark.effect == "applied", mark
            agents = [place.agent for place in mark.places]
            assert len({*agents}) == len(agents), mark
        if self.is_killed:
            self._run.assert_replays()
            self._run.assert_audited()
        return digest(self.path)

    def _need(self, agent: str) -> NeedEntry:
        self._wait(lambda: agent in self._needs())
        return self._needs()[agent]

    def _needs(self) -> dict[str, NeedEntry]:
        if not (self.path / "run_config.json").exists():  # it begins
            return {}
        return {need.agent: need for need in read_steering(self.path).open_needs}

    def _wait(self, condition: Callable[[], bool]) -> None:
        until = time.monotonic() + WAIT_S
        while not condition():
            assert time.monotonic() < until and self._process.poll() is None
            time.sleep(0.05)


@pytest.mark.parametrize("arm", ["arm_b_freeze", "arm_c_random", "no_archive", "dgm"])
def test_a_solo_arm_that_is_killed_ends_as_one_that_never_was(arm: str, tmp_path: Path) -> None:
    words = ("solo", "--model", "offline/tinker", "--domain", "repo_quality", "--arm", arm)
    more = ("--seed", "5", "--iterations", "3", "--no-controls")
    below = f"repo_quality/repo_quality/{arm}/seed5"
    digests: list[str] = []
    for name, is_killed in (("never", False), ("killed", True)):
        run = Played(tmp_path / name, below, *words, *more, is_killed=is_killed)
        run.pause("tinker")
        run.kill()
        requests.ask_for(run.path, requests.pin("tinker", 0))
        requests.ask_for(run.path, requests.say("all", "mind the empty rows"))
        requests.ask_for(run.path, requests.set_quota("tinker", calls=1000))
        with pytest.raises(RunUsageError, match="a solo run has one agent"):
            requests.ask_for(run.path, requests.fork("tinker", 0, "wren"))
        requests.ask_for(run.path, requests.resume())
        run.go_on("Notice", "tinker:2:modify")
        run.answer("tinker")
        run.kill()
        run.go_on("tinker:2:gate")
        run.answer("tinker")
        digests.append(run.end())
    assert digests[0] == digests[1]


def test_agents_at_their_own_pace_that_are_killed_end_as_if_they_never_were(
    tmp_path: Path,
) -> None:
    config = fleet_file(tmp_path / "fleet.toml", OWN_PACE, *THREE)
    words = ("fleet", "--config", config, "--seeds", "5")
    digests: list[str] = []
    for name, is_killed in (("never", False), ("killed", True)):
        run = Played(tmp_path / name, "repo_quality/three_none/seed5", *words, is_killed=is_killed)
        run.pause("tinker", "magpie", "third")
        run.kill()
        requests.ask_for(run.path, requests.say("all", "mind the empty rows"))
        requests.ask_for(run.path, requests.pin("magpie", 0))
        requests.ask_for(run.path, requests.set_quota("magpie", calls=1000))
        requests.ask_for(run.path, requests.stop_agent("third"))
        requests.ask_for(run.path, requests.fork("tinker", 1, "wren"))
        requests.ask_for(run.path, requests.resume())
        run.go_on("Notice", "AgentJoined", "wren:0:evaluate")
        run.answer("tinker")
        run.kill()
        run.go_on("tinker:2:gate")
        run.answer("magpie", "wren", "tinker", "magpie")
        digests.append(run.end())
    assert digests[0] == digests[1]
