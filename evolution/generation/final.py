"""The final evaluation: each agent's best generation, once, on the sealed test split."""

import msgspec

from evolution.evaluation.evaluate import CandidateFailed, evaluate_split
from evolution.files import pretty_json, sync_folder, write_tree
from evolution.generation.attempt import Attempt
from evolution.generation.draft import Draft
from evolution.generation.generation import open_bench
from evolution.generation.generation_files import evaluation_files, pass_scores
from evolution.generation.publish import close
from evolution.generation.team import Participant, Team
from evolution.state.clock import logical_time
from evolution.state.manifest import TEST, Closing, Manifest
from evolution.views.stamps import survey

WORK_NAME = "test_eval"


async def run_final(team: Team, who: Participant) -> None:
    """Evaluate an agent's best generation on test; it is done when its closing mark is written.

    Raises:
        RunPaused: The evaluation model is down.
    """
    last = team.config.member(who.name).generations
    with Attempt(team, who, last, WORK_NAME) as attempt:
        draft = await _evaluate(attempt)
        team.marks.check_lease()
        draft_manifest = draft.manifest(team, attempt.calls(), attempt.refused())
        manifest = msgspec.structs.replace(draft_manifest, generation=TEST)
        closing = _write_files(attempt, manifest)
        attempt.reach("commit")
        time = logical_time(team.config.generations + 1, who.turn, len(team.participants))
        closing = team.marks.publish_final(closing, time)
        attempt.compare(closing.manifest)
        team.views.add_final(closing)


async def _evaluate(attempt: Attempt) -> Draft:
    team, who = attempt.team, attempt.who
    best = team.archives[who.name].best
    if best is None:
        draft = Draft(who.name, attempt.generation, None, {}, ())
        draft.fail("candidate", "no generation was ever scored on validation")
        return draft
    code = team.marks.code(who.name, best.generation)
    draft = Draft(who.name, best.generation, best.generation, code, ())
    try:
        draft.splits = {TEST: await evaluate_split(open_bench(attempt, draft), TEST)}
    except CandidateFailed as failure:
        draft.fail("candidate", str(failure))
    return draft


def final_files(team: Team, manifest: Manifest) -> dict[str, bytes]:
    """What is written of a final evaluation beside its trace, by path."""
    metadata = {"generation": manifest.parent, "test_score": manifest.score(TEST)}
    told = {**metadata, **pass_scores(manifest), "error": manifest.error}
    files = {"metadata.json": pretty_json(told)}
    for result in manifest.splits.values():
        files |= evaluation_files(team, TEST, result)
    return files


def _write_files(attempt: Attempt, manifest: Manifest) -> Closing:
    team, took = attempt.team, attempt.took()
    write_tree(attempt.folder, final_files(team, manifest))
    target = team.folder.test_eval(attempt.who.name)
    target.parent.mkdir(exist_ok=True)
    attempt.folder.rename(target)
    sync_folder(target.parent)
    return close(attempt, manifest, survey(target), took)
