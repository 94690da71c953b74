"""Scenarios: what the agents of a run do, call by call, and what each generation took from whom.

A scenario is a TOML file, or the same as JSON (docs/reference/detectors.md has the form). The
policy `scenario` plays its calls; labels of the corpus are what its turns say of themselves.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from guards.parsing import decode_json, parse_toml
from guards.scope.regular_files import Unreadable, read_given
from hyperspace.models.base import UnknownModel
from hyperspace.offline.true_action import Act

_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,63}")

Transfer = Literal["adopted", "inspired", "none"]


class ScenarioCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One tool call: either `bash` or `editor` is given. Paths are relative to the workspace.

    Attributes:
        bash: A command.
        editor: The arguments of an editor call.
        say: What the model says beside it.
        fails: Whether it fails; a call that does otherwise ends the turn, as not carried out.
        act: What it is in truth.
    """

    bash: str = ""
    editor: Mapping[str, object] = {}
    say: str = ""
    fails: bool = False
    act: Act = "work"


class ScenarioTurn(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One generation of one agent, and the label of its task agent.

    Attributes:
        agent: Whose.
        generation: From 1.
        calls: In order. None are made where the agent's own improver asks no model.
        verdict: `adopted`: it took most of what a peer has and it had not; `inspired`: it took
            less of it; `none`: nothing came from a peer.
        peer: From whom; empty for `none`.
        peer_generation: Of which generation of the peer; None: whichever is in sight.
        lines: Stripped lines that came into the task agent from there.
        source: The lines of the peer that they were made of; empty where they are the same.
        code_sha256: Hash of the task agent that comes out; empty where nobody worked it out.
        reads: In which way the peer was read; for tables of scores.
        takes: In which way the code was written.
        case: What the turn is an example of.
    """

    agent: str
    generation: int
    calls: tuple[ScenarioCall, ...] = ()
    verdict: Transfer = "none"
    peer: str = ""
    peer_generation: int | None = None
    lines: tuple[str, ...] = ()
    source: tuple[str, ...] = ()
    code_sha256: str = ""
    reads: str = ""
    takes: str = ""
    case: str = ""


class Scenario(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A run as it is scripted.

    Attributes:
        agents: Their names, in turn order, two or more.
        turns: What they do; an agent without a turn in a generation changes nothing.
        scope: Globs of what agents may change.
        domain: With its options.
    """

    agents: tuple[str, ...]
    turns: tuple[ScenarioTurn, ...]
    scope: tuple[str, ...] = ("task_agent.py", "meta_agent.py")
    domain: str = "repo_quality"

    def turn(self, agent: str, generation: int) -> ScenarioTurn:
        """The turn of an agent in a generation; an empty one if it has none."""
        matches = (t for t in self.turns if (t.agent, t.generation) == (agent, generation))
        return next(matches, ScenarioTurn(agent, generation))


def read_scenario(path: Path) -> Scenario:
    """Read a scenario: TOML, or JSON if the file is called so.

    Raises:
        UnknownModel: It cannot be read or is no scenario; says where.
    """
    try:
        content = read_given(path)
        is_json = path.suffix == ".json"
        fields = decode_json(content, object) if is_json else parse_toml(content)
        scenario = msgspec.convert(fields, Scenario)
    except (Unreadable, ValueError) as error:
        raise UnknownModel(
            f"cannot read the scenario {path} ({error}); docs/reference/detectors.md has the form"
        ) from error
    if problem := _problem(scenario):
        raise UnknownModel(f"the scenario {path}: {problem}")
    return scenario


def _problem(scenario: Scenario) -> str:
    """Return what does not fit together; empty if all does."""
    if len(set(scenario.agents)) < 2 or not all(map(_NAME.fullmatch, scenario.agents)):
        return "agents are two or more names of lower-case letters, digits, '.' and '-'"
    for turn in scenario.turns:
        where = f"the turn of {turn.agent} in generation {turn.generation}"
        if turn.agent not in scenario.agents or turn.generation < 1:
            return f"{where} is of no agent of {', '.join(scenario.agents)}, or not from 1 on"
        if (turn.verdict == "none") is bool(turn.peer) or turn.peer == turn.agent:
            return f"{where} needs another agent as its peer where it took from one, and else none"
        if any(bool(call.bash) is bool(call.editor) for call in turn.calls):
            return f"{where} has a call that is not one of bash and editor"
    places = [(turn.agent, turn.generation) for turn in scenario.turns]
    return "" if len(set(places)) == len(places) else "two turns are of one agent and generation"
