"""The code that agents start from has to work: what does not ends the run before it costs more."""

from hyperspace.kernel.errors import FirstCodeFailed
from hyperspace.kernel.evaluation.failures import LONGEST_ERROR, only_errors
from hyperspace.kernel.generation.run_context import Participant, RunContext
from hyperspace.kernel.state.manifest import Closing


def require_sound_start(context: RunContext, who: Participant, closing: Closing) -> None:
    """Check the generation 0 of an agent that starts from the run's first code.

    Raises:
        FirstCodeFailed: It fails a gate, its evaluation failed, or gave nothing but errors.
    """
    manifest = closing.manifest
    is_replay = context.recording is not None
    answers = context.rounds.answers_items(who.name)
    if is_replay or context.config.fork_of(who.name) is not None or not answers:
        return
    if not manifest.valid:
        why = manifest.error[-LONGEST_ERROR:]
    elif error := only_errors(context.domain, manifest.splits.get("train")):
        why = f"every item of train ended with an error; {error}"
    else:
        return
    raise FirstCodeFailed(context.folder.root, who.name, why)
