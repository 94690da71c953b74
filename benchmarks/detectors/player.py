"""The policy `offline/scenario`: plays the part of one agent in a scenario, call by call."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from msgspec.structs import replace

from benchmarks.detectors.scenario import Scenario, ScenarioCall, ScenarioTurn, read_scenario
from hyperspace.models.base import UnknownModel
from hyperspace.offline import registry
from hyperspace.offline.catalog import PolicyEntry
from hyperspace.offline.conversation import Conversation
from hyperspace.offline.plan import CandidPlan, PlanStep, undone
from hyperspace.offline.planned import PlannedPolicy
from hyperspace.offline.record import OWN
from hyperspace.offline.tool_steps import Workspace, bash
from hyperspace.offline.true_action import TrueAction

SCENARIO: Final = "scenario"
_GENERATION = re.compile(r"^gen_(\d+)$", re.MULTILINE)
_DONE = re.compile(r"\[exit code 0\]\s*\Z")


@dataclass(frozen=True)
class ScenarioPlayer(PlannedPolicy):
    """Makes the calls of its agent's turn, and stops where one does not do what it is to do.

    Attributes:
        scenario: What all of its agents do.
        agent: Whose part it plays.
    """

    scenario: Scenario
    agent: str

    @classmethod
    def from_file(cls, file: str = "", agent: str = "", sha256: str = "") -> "ScenarioPlayer":
        """Read the scenario.

        Args:
            file: Its path.
            agent: One of its agents.
            sha256: How the hash of the file begins, so that a run goes on with no other.

        Raises:
            UnknownModel: None is named, it cannot be read, is another than the hash says, or has
                no such agent.
        """
        if not file:
            raise UnknownModel("name a scenario: offline/scenario?file=PATH&agent=NAME")
        path = Path(file)
        scenario = read_scenario(path)
        if not hashlib.sha256(path.read_bytes()).hexdigest().startswith(sha256):
            raise UnknownModel(f"the scenario {path} was changed: its hash is not {sha256}...")
        if agent not in scenario.agents:
            raise UnknownModel(f"the scenario {path} has no agent {agent!r}")
        return cls(scenario, agent)

    def plan(self, space: Workspace, task: Conversation) -> CandidPlan:
        """Find out which generation it is, by the names in `evals/`; then make the calls."""
        listing = yield from bash("Which generation is it?", f"ls {space.at(OWN)}")
        generation = max(map(int, _GENERATION.findall(listing)), default=-1) + 1
        turn = self.scenario.turn(self.agent, generation)
        for number, call in enumerate(turn.calls, 1):
            tool, arguments = ("editor", call.editor) if call.editor else _command(call)
            result = yield PlanStep(call.say, tool, arguments, _action(turn, call))
            if _has_failed(tool, result) is not call.fails:
                return undone(f"call {number} of generation {generation} did not do what it is to")
        return f"That was my turn in generation {generation}."


class TextOption(NamedTuple):
    """Any text that a policy takes.

    Attributes:
        what: What it is.
    """

    what: str

    def read(self, text: str) -> str | None:
        """The value; None for an empty one."""
        return text or None

    def __str__(self) -> str:
        return self.what


def register_scenario() -> None:
    """Make `offline/scenario` a model in this process."""
    options = {
        "file": TextOption("the path of a scenario"),
        "agent": TextOption("the name of one of its agents"),
        "sha256": TextOption("how the hash of the file begins"),
    }
    about = "plays one agent of a scenario, call by call"
    # Its commands may be anything.
    entry = PolicyEntry(ScenarioPlayer.from_file, options, about, hostile=True)
    registry.register(SCENARIO, entry)


def _command(call: ScenarioCall) -> tuple[str, dict[str, object]]:
    return "bash", {"command": call.bash}


def _has_failed(tool: str, result: str) -> bool:
    return result.startswith("Error") if tool == "editor" else not _DONE.search(result)


def _action(turn: ScenarioTurn, call: ScenarioCall) -> TrueAction:
    """The truth about a call: what it is, and how many of whose lines it takes."""
    action = TrueAction(call.act, call.say or turn.case or "as scripted")
    if call.act not in ("adopt", "inspire"):
        return action
    return replace(
        action,
        peer=turn.peer,
        peer_generation=turn.peer_generation,
        amount=len(turn.lines),
    )
