"""The evaluation of an agent's best at the end, once, on the sealed test split."""

import msgspec

from hyperspace.kernel.evaluation.evaluate import evaluate_split
from hyperspace.kernel.evaluation.evaluator import CandidateFailed
from hyperspace.kernel.files import pretty_json, sync_folder, write_tree
from hyperspace.kernel.generation.attempt import Attempt
from hyperspace.kernel.generation.candidate import Candidate
from hyperspace.kernel.generation.generation_files import evaluation_files, pass_scores
from hyperspace.kernel.generation.publish import close
from hyperspace.kernel.generation.report import anchor_closing
from hyperspace.kernel.generation.run_context import Participant, RunContext
from hyperspace.kernel.state.folder import TEST_WORK
from hyperspace.kernel.state.ids import logical_time
from hyperspace.kernel.state.manifest import TEST, Manifest
from hyperspace.kernel.views.stamps import survey


async def run_final(context: RunContext, who: Participant) -> None:
    """Evaluate an agent's best generation on test; it is done when its closing mark is written.

    Raises:
        RunPaused: The evaluation model is down.
    """
    last = context.config.member(who.name).generations
    with Attempt(context, who, last, TEST_WORK) as attempt:
        candidate = await _evaluate(attempt)
        context.writer.check_ours()
        draft_manifest = candidate.manifest(context, attempt.log.calls(), attempt.refused())
        closed = context.archives[who.name].next_generation()
        manifest = msgspec.structs.replace(
            draft_manifest, generation=TEST, steering=context.steering.taken_last(who.name, closed)
        )
        took, target = attempt.took(), context.folder.test_eval(who.name)
        files = final_files(context, manifest)
        write_tree(attempt.folder, files)
        target.parent.mkdir(exist_ok=True)
        attempt.folder.rename(target)
        sync_folder(target.parent)
        surveyed = survey(target)
        context.writer.keep_files(target, surveyed.hashes.keys() - files.keys())
        closing = close(attempt, manifest, surveyed, took)
        attempt.reach("commit")
        time = logical_time(context.config.generations + 1, who.turn, len(context.participants))
        closing = context.writer.publish_final(closing, time)
        attempt.compare(closing.manifest)
        context.logs.add_final(closing)
        anchor_closing(context, closing)


async def _evaluate(attempt: Attempt) -> Candidate:
    context, who = attempt.context, attempt.who
    best = context.archives[who.name].best
    if best is None:
        candidate = Candidate(who.name, attempt.generation, None, {}, ())
        told = "no generation was ever scored on validation"
        if not context.rounds.answers_items(who.name):
            told = "a tester answers no items"
        candidate.fail("candidate", told)
        return candidate
    code = context.marks.code(who.name, best.generation)
    candidate = Candidate(who.name, best.generation, best.generation, code, ())
    try:
        evaluator = attempt.evaluation(candidate).evaluator()
        candidate.splits = {TEST: await evaluate_split(evaluator, TEST)}
    except CandidateFailed as failure:
        candidate.fail("candidate", str(failure))
    return candidate


def final_files(context: RunContext, manifest: Manifest) -> dict[str, bytes]:
    """Return the files of a final evaluation beside its trace, by path."""
    metadata = {"generation": manifest.parent, "test_score": manifest.score(TEST)}
    told = {**metadata, **pass_scores(manifest), "error": manifest.error}
    files = {"metadata.json": pretty_json(told)}
    for result in manifest.splits.values():
        files |= evaluation_files(context.domain, TEST, result)
    return files
