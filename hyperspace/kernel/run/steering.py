"""Obeying the principal where an agent is about to begin: the run waits, and the agent looks."""

from typing import Final

import anyio

from guards.scope.changes import printable
from hyperspace.kernel.events import Notice
from hyperspace.kernel.generation.run_context import Participant, RunContext
from hyperspace.kernel.state.config import with_fork
from hyperspace.kernel.state.opening import extend_record
from hyperspace.kernel.state.steering.records import Place, Steering, told

LOOK_S: Final = 0.25
GIVE_UP_LOOK_S: Final = 1.0


class AgentForked(Exception):
    """An agent joined the run; its record says so."""


async def wait_to_go_on(context: RunContext) -> None:
    """Wait while the principal has the run paused; that is no working time."""
    queue = context.steering.read
    queue.refresh()
    if not queue.is_paused:
        return
    run = context.folder.root
    context.emit(Notice(f"paused by the principal; hyperspace steer {run} resume goes on"))
    with context.ledger.idle():
        while queue.is_paused:
            await anyio.sleep(LOOK_S)
            queue.refresh()
    context.emit(Notice("the principal lets the run go on"))


def look(context: RunContext, who: Participant, generation: Place) -> bool:
    """Let what the principal asked of an agent take effect; returns whether it plays on.

    Raises:
        AgentForked: Another agent joins the run, which is opened again with it.
    """
    for steering in context.steering.look(who.name, generation):
        _tell(context, who.name, generation, steering)
    _let_join(context, who, generation)
    standing = context.steering.standing(who.name)
    if standing.quota is not None:
        context.ledger.set_quota(who.name, standing.quota)
    return not standing.is_stopped


async def end_given_up(context: RunContext) -> None:
    """End each generation under way that the principal gives up, until cancelled."""
    while True:
        await anyio.sleep(GIVE_UP_LOOK_S)
        for wish in context.steering.end_given_up():
            _tell(context, wish.agent, wish.generation, wish)


def _tell(context: RunContext, agent: str, generation: Place, steering: Steering) -> None:
    at = generation if isinstance(generation, str) else f"gen {generation}"
    context.emit(Notice(f"{agent} {at}: principal: {printable(told(steering))}"))


def _let_join(context: RunContext, who: Participant, generation: Place) -> None:
    """Let the next agent join that was forked from one and is not there yet."""
    forks = context.steering.forks(who.name)
    fork = next((each for each in forks if each.name not in context.config.agents), None)
    if fork is None:
        return
    if isinstance(generation, str):
        late = f"{fork.name} does not join: {who.name} has played its last generation"
        context.emit(Notice(late))
        return
    joined = context.round_of(who, generation)
    config = with_fork(context.config, fork, joined)
    extend_record(context.folder, context.marks, context.writer, config)
    text = f"{fork.name} joins in round {joined} with the code of {who.name} gen {fork.generation}"
    context.emit(Notice(text))
    raise AgentForked(text)
