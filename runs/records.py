"""What a run is once it is read: agents, their turns, and what each turn had in sight."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from runs.files import Text
from runs.trace import TraceFile


class Sizes(msgspec.Struct, frozen=True):
    """Sizes of an agent's code, in bytes; None where the file is missing or not known."""

    task_bytes: int | None
    meta_bytes: int | None


class StrategyRead(msgspec.Struct, frozen=True):
    """A strategy that was in sight of a turn.

    Attributes:
        peer: Who wrote it; the agent itself where a run shows agents their own past.
        generation: Which generation of that one.
        folder: Its folder below `strategies/`.
        task: Its task agent.
        val: The validation score that it had; None if not known.
        meta: Its meta agent.
    """

    peer: str
    generation: int
    folder: str
    task: Text
    meta: Text
    val: float | None = None


class TurnRead(msgspec.Struct, frozen=True, kw_only=True):
    """One generation of one agent. Its texts and its trace are read when they are asked for.

    Attributes:
        generation: Its number.
        valid: Whether it may become a parent.
        error: Why not; empty when valid.
        train: Train score; None if there is none.
        val: Validation score; None if there is none.
        parent: Generation that it was forked from; None if there is none or it is not known.
        task: Its task agent.
        meta: Its meta agent.
        seen: Strategies that were in sight when it was made.
        seen_recorded: True if the run recorded what was in sight; False if it was concluded from
            scores: each peer's best of the generations before this one.
        trace: Its model calls.
        diverged: Calls of a recorded agent that were answered though they were not the recorded
            ones.
    """

    generation: int
    valid: bool
    error: str
    train: float | None
    val: float | None
    parent: int | None
    task: Text
    meta: Text
    seen: tuple[StrategyRead, ...]
    seen_recorded: bool
    trace: TraceFile
    diverged: int = 0

    @property
    def task_text(self) -> str | None:
        """The text of task_agent.py, read anew; None if it is not there."""
        return self.task.read()

    @property
    def meta_text(self) -> str | None:
        """The text of meta_agent.py, read anew; None if it is not there."""
        return self.meta.read()

    @property
    def sizes(self) -> Sizes:
        """How large its code is."""
        return Sizes(self.task.size_bytes(), self.meta.size_bytes())


class AgentRead(msgspec.Struct, frozen=True):
    """One agent of a run.

    Attributes:
        name: Its name within the run.
        model: Its model; the name where the run does not say.
        turns: Its generations in order.
    """

    name: str
    model: str
    turns: tuple[TurnRead, ...]

    def turn(self, generation: int) -> TurnRead | None:
        """A generation by its number; None if it is not there."""
        return next((turn for turn in self.turns if turn.generation == generation), None)


class RunRead(msgspec.Struct, frozen=True):
    """One run.

    Attributes:
        pairing: Name of the set of agents: the folder above the seeds.
        seed: Its seed; None if the folder does not say.
        path: Where it was read.
        agents: In turn order; by name where that is not known.
        notes: What was missing or damaged, and what is done without it.
    """

    pairing: str
    seed: int | None
    path: Path
    agents: tuple[AgentRead, ...]
    notes: tuple[str, ...] = ()

    def agent(self, name: str) -> AgentRead:
        """An agent by name.

        Raises:
            KeyError: There is none of this name.
        """
        for agent in self.agents:
            if agent.name == name:
                return agent
        raise KeyError(name)

    def peers_of(self, name: str) -> Iterator[AgentRead]:
        """All other agents."""
        return (agent for agent in self.agents if agent.name != name)


def best_turn(
    agent: AgentRead, before: int | None = None, upto: int | None = None
) -> TurnRead | None:
    """The turn with the best validation score, the earliest of equals.

    Args:
        agent: Whose.
        before: Only generations below this number.
        upto: Only generations up to this number.

    Returns:
        None if none of them has a score.
    """
    scored = [
        turn
        for turn in agent.turns
        if turn.val is not None
        and (before is None or turn.generation < before)
        and (upto is None or turn.generation <= upto)
    ]
    return max(scored, key=lambda turn: turn.val or 0.0, default=None)
