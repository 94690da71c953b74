"""A candidate whose code is what it was forked from, byte for byte, has the results of that.

Nothing is asked again. A try that changes nothing costs no evaluation then, and it is no second
draw either: code whose answers vary, by chance or with the order of the items, could else stand
still until it is lucky.
"""

from pathlib import Path

from hyperspace.kernel.evaluation.answers import ANSWERS
from hyperspace.kernel.evaluation.assess import runs_answers
from hyperspace.kernel.files import write_tree
from hyperspace.kernel.generation.attempt import Attempt
from hyperspace.kernel.generation.candidate import Candidate
from hyperspace.kernel.state.manifest import Closing

_OF_MODIFICATIONS = ("edit-scope", "policy")  # topics of violations that no evaluation causes
_OF_EVALUATIONS = ("gate", "train", "val", "test")  # purposes of calls


def reuse_results(attempt: Attempt, candidate: Candidate) -> bool:
    """Give an unchanged candidate the results of what it was forked from, if they stand.

    They do where only chance could make another evaluation differ, or the order of the items: the
    same items, no model asked, each answer given, nothing refused, and no limit of time that may
    have struck. A replay evaluates what was evaluated.

    Returns:
        Whether it has its results; else it is to be evaluated.

    Raises:
        RunDamaged: Answers are missing or were changed since they were closed.
    """
    source, context = candidate.forked_from, attempt.context
    if source is None or not candidate.is_unchanged or candidate.role:
        return False
    if attempt.record is not None and not attempt.record.took_results:
        return False
    if context.rounds.epoch(source) != context.rounds.epoch(candidate.generation):
        return False
    closing = context.marks.closing(candidate.agent, source)
    if not _stands(closing) or runs_answers(context.domain):
        return False
    answers = [path for path in closing.files if Path(path).name == ANSWERS]
    files = {path: context.folder.read_closed(closing, path) for path in answers}
    write_tree(attempt.folder, files)
    candidate.gates, candidate.splits = closing.manifest.gates, closing.manifest.splits
    candidate.results_of = source if closing.results_of is None else closing.results_of
    return True


def _stands(closing: Closing) -> bool:
    """Return whether nothing happened to a generation that another evaluation could mend."""
    manifest = closing.manifest
    passes = [each for result in manifest.splits.values() for each in result.passes]
    return (
        manifest.valid
        and manifest.tournament is None  # its answers lie in the folders of two candidates
        and not closing.timeouts
        and not any(each.errors for each in passes)
        and not any(call["purpose"] in _OF_EVALUATIONS for call in manifest.calls)
        and all(each.topic in _OF_MODIFICATIONS for each in manifest.violations)
    )
