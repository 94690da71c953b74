"""Plays generations of offline policies without sandboxes, marks or a run folder.

The policies' tool calls are carried out by the frozen runtime's own tools in a temporary folder
that the real materializer lays out; task agents that ask no model are scored in this process. So
hundreds of generations can be measured in the time that one paired run takes.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from agents.runtime.agent.tools import close_all, load_tools, run_tool
from agents.runtime.agent.tools import spec as tool_spec
from hyperspace.messages import ChatRequest, Message, ToolCall, ToolSpec
from hyperspace.offline.planned import OfflinePolicy
from hyperspace.tasks.base import SPLITS, Domain, Split
from hyperspace.workspace.seed_code import seed_files
from hyperspace.workspace.workspace import PastGeneration, Strategy, TrainRows, materialize

MOST_CALLS = 40
Predict = Callable[[Domain, Split, str], Mapping[str, str]]


class Said(NamedTuple):
    """A conversation: the arguments of each tool call, and the closing words."""

    calls: tuple[str, ...]
    closing: str


SILENCE = Said((), "")


@dataclass(frozen=True)
class Generation:
    """One scored task agent and what was said on the way to it."""

    number: int
    code: str
    train: float
    val: float
    test: float
    predictions: Mapping[str, str]
    said: Said = SILENCE

    @property
    def adopted(self) -> bool:
        """Whether its code was copied from a peer."""
        return any('"cp ' in call and "strategies/" in call for call in self.said.calls)


@dataclass
class Player:
    """One agent of a simulated pair."""

    name: str
    policy: OfflinePolicy
    generations: list[Generation] = field(default_factory=list[Generation])
    higher_is_better: bool = True

    @property
    def best(self) -> Generation:
        """The generation with the best validation score; the earliest wins."""
        sign = 1 if self.higher_is_better else -1
        return max(self.generations, key=lambda g: (sign * g.val, -g.number))


def best_of(players: Sequence[Player]) -> Generation:
    """The best generation of all players, by validation score, then by train score."""
    return max((player.best for player in players), key=lambda best: (best.val, best.train))


def answer_here(domain: Domain, split: Split, code: str) -> Mapping[str, str]:
    """Run a task agent that asks no model, in this process."""
    space: dict[str, Any] = {"__name__": "task_agent"}
    exec(code, space)  # noqa: S102 - the policies' own edits of our seed
    agent = space["TaskAgent"]("offline")
    return {item.id: agent.forward(dict(item.inputs))[0] for item in domain.items(split)}


def play_pair(
    domain: Domain,
    policies: Mapping[str, OfflinePolicy],
    folder: Path,
    *,
    generations: int,
    seed: int,
    predict: Predict = answer_here,
) -> list[Player]:
    """Let policies take turns; every agent of a round sees the same published strategies."""
    first = score(domain, 0, _seed_code(domain), predict)
    up = domain.higher_is_better
    players = [Player(name, policy, [first], up) for name, policy in policies.items()]
    for number in range(1, generations + 1):
        published = {player.name: player.best for player in players}
        for player in players:
            peers = [_strategy(name, g) for name, g in published.items() if name != player.name]
            space = folder / player.name / str(number)
            lay_out(space, domain, player.generations, peers)
            request_seed = random.Random(f"{seed}/{player.name}/{number}").getrandbits(32)
            said = converse(player.policy, space, request_seed)
            code = (space / "task_agent.py").read_text("utf-8")
            player.generations.append(score(domain, number, code, predict, said))
    return players


def _seed_code(domain: Domain) -> str:
    return {**seed_files(), **domain.seed_files()}["task_agent.py"].decode()


def lay_out(
    space: Path, domain: Domain, past: Sequence[Generation], peers: Sequence[Strategy]
) -> None:
    """Write the workspace of the next generation."""
    train = TrainRows(domain.items("train"), domain.labels("train"))
    history = [_past(generation, domain) for generation in past]
    files = materialize({"task_agent.py": past[-1].code}, {}, train, history, peers)
    for path, content in files.items():
        (space / path).parent.mkdir(parents=True, exist_ok=True)
        (space / path).write_bytes(content)


def converse(policy: OfflinePolicy, space: Path, seed: int, told: str = "") -> Said:
    """Hold one conversation about a workspace; returns what was said."""
    tools = load_tools()
    specs = tuple(ToolSpec(**tool_spec(tool)) for tool in tools.values())
    messages = [Message("user", f"{told}Modify any part of the code at `{space}`.")]
    calls: list[str] = []
    try:
        for _ in range(MOST_CALLS):
            reply = policy.reply(ChatRequest("offline", tuple(messages), specs, seed=seed))
            messages.append(Message("assistant", reply.text, reply.tool_calls))
            if not reply.tool_calls:
                return Said(tuple(calls), reply.text)
            calls += [call.arguments for call in reply.tool_calls]
            messages += [_result(tools, call) for call in reply.tool_calls]
    finally:
        close_all(tools)
    raise AssertionError("the policy never stopped calling tools")


def _result(tools: dict[str, Any], call: ToolCall) -> Message:
    content = run_tool(tools, call.name, call.arguments)
    return Message("tool", content, tool_call_id=call.id)


def score(
    domain: Domain, number: int, code: str, predict: Predict = answer_here, said: Said = SILENCE
) -> Generation:
    """Score a task agent on all splits."""
    answers = {split: predict(domain, split, code) for split in SPLITS}
    train, val, test = (domain.score(split, answers[split]) for split in SPLITS)
    return Generation(number, code, train, val, test, answers["train"], said)


def _past(generation: Generation, domain: Domain) -> PastGeneration:
    return PastGeneration(
        generation=generation.number,
        parent=generation.number - 1 if generation.number else None,
        valid=True,
        error="",
        metric=domain.metric,
        train_score=generation.train,
        val_score=generation.val,
        train_predictions=generation.predictions,
        staged_only=False,
        task_agent=generation.code,
        higher_is_better=domain.higher_is_better,
    )


def _strategy(name: str, generation: Generation) -> Strategy:
    return Strategy(
        agent=name,
        model=f"offline/{name}",
        generation=generation.number,
        train_score=generation.train,
        val_score=generation.val,
        files={"task_agent.py": generation.code},
    )
