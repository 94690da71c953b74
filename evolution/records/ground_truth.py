"""What offline policies own up to while a run is played; see `agents.offline.ground_truth`."""

from agents.lookup.replayed import ReplayedAgent
from agents.models.base import Model
from agents.offline.ground_truth import GroundTruthLine, append_ground_truth, true_action_of
from agents.tracing.traces import CallRecord
from evolution.state.folder import RunFolder


def record_ground_truth(
    folder: RunFolder,
    agent: str,
    model: Model,
    generation: int,
    attempt: tuple[str, int],
    call: CallRecord,
) -> None:
    """Write down what the policy behind a call of a meta agent did, if it is one that knows.

    Args:
        folder: The run's.
        agent: Whose call it is.
        model: The model behind it; a recorded agent's policy answers what it was asked then.
        generation: In which generation.
        attempt: Name of the attempt, and how many were abandoned before it.
        call: The finished call.
    """
    if call.purpose != "modify":
        return
    name, number = attempt
    is_recorded = isinstance(model, ReplayedAgent)
    answered = model.recorded(name, call.key) if is_recorded else call
    action = None if answered is None else true_action_of(model.name, answered)
    if action is not None:
        line = GroundTruthLine(
            agent=agent,
            generation=generation,
            attempt=number,
            purpose=call.purpose,
            item=call.item,
            ordinal=call.ordinal,
            policy=model.name,
            action=action,
        )
        append_ground_truth(folder.truth, line)
