"""What offline policies own up to while a run is played; see `agents.offline.ground_truth`."""

from agents.lookup.replayed import ReplayedAgent
from agents.offline.ground_truth import GroundTruthLine, append_ground_truth, true_action_of
from agents.tracing.traces import CallRecord
from evolution.generation.run_context import Participant
from evolution.state.folder import RunFolder


def record_ground_truth(
    folder: RunFolder, who: Participant, generation: int, attempt: tuple[str, int], call: CallRecord
) -> None:
    """Write down what the policy behind a call of a meta agent did, if it is one that knows.

    Args:
        folder: The run's.
        who: Whose call it is.
        generation: In which generation.
        attempt: Name of the attempt, and how many were abandoned before it.
        call: The finished call.
    """
    name, number = attempt
    policy = who.model.name
    answered = _answered(who, name, call) if call.purpose == "modify" else None
    action = None if answered is None else true_action_of(policy, answered)
    if action is not None:
        line = GroundTruthLine(
            agent=who.name,
            generation=generation,
            attempt=number,
            purpose=call.purpose,
            item=call.item,
            ordinal=call.ordinal,
            policy=policy,
            action=action,
        )
        append_ground_truth(folder.truth, line)


def _answered(who: Participant, attempt: str, call: CallRecord) -> CallRecord | None:
    """The call that the answer was made for: a recorded agent answers what it was asked then."""
    if isinstance(who.model, ReplayedAgent):
        return who.model.recorded(attempt, call.key)
    return call
