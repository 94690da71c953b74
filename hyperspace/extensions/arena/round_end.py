"""The end of a round: what it came to is written down, and children take places."""

from hyperspace.extensions.arena.rounds import arena_of
from hyperspace.kernel.events import Notice
from hyperspace.kernel.generation.run_context import RunContext
from hyperspace.kernel.run.steering import AgentForked
from hyperspace.kernel.state.config import with_fork
from hyperspace.kernel.state.opening import extend_record
from hyperspace.kernel.state.scopes import CASES as SCOPE
from hyperspace.kernel.state.steering.records import ForkAgent


def close_round(context: RunContext, number: int) -> None:
    """Write down what a round came to, and let those join who take the places of the worst.

    Nothing is done twice, so a run that was killed here goes on from here.

    Raises:
        AgentForked: Somebody joins the run, which is opened again with them.
    """
    result = arena_of(context).result(number)
    context.writer.check_ours()
    context.writer.record_once(SCOPE, f"round/{number}", "score", result)
    joining = [each for each in result.successions if each.child not in context.config.agents]
    if not joining:
        return
    config = context.config
    for each in joining:
        model = config.models[config.turns[each.falls]]
        fork = ForkAgent(
            agent=each.parent, generation=each.generation, name=each.child, model=model
        )
        config = with_fork(config, fork, number, each.falls)
        context.emit(
            Notice(
                f"round {number}: {each.falls} falls; {each.child} takes its place, a child of "
                f"{each.parent} gen {each.generation}"
            )
        )
    extend_record(context.folder, context.marks, context.writer, config)
    raise AgentForked(", ".join(each.child for each in joining))
