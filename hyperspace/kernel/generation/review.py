"""Between ingest and the gates: content policies judge what a generation changed.

What they find goes on record with the violations, and into the manifest; what they put back or
rewrote is no longer in the candidate.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import anyio.to_thread

from guards.content.base import Revision
from guards.content.modes import Mode
from guards.content.pipeline import Judgement, ReviewedFile, judge
from guards.content.secrets import mask_secrets
from guards.content.source import SourceText
from guards.scope.changes import describe_change
from guards.scope.ingest import IngestLimits
from hyperspace.kernel.events import PolicyJudged
from hyperspace.kernel.files import text_hashes
from hyperspace.kernel.generation.attempt import Attempt
from hyperspace.kernel.generation.candidate import Candidate
from hyperspace.kernel.generation.visible_strategies import VisibleStrategies
from hyperspace.kernel.state.manifest import Violation
from hyperspace.workspace.workspace import Strategy


class PolicyContext(NamedTuple):
    """The context in which policies judge a change.

    Attributes:
        modes: The mode of every policy.
        strategies: Whose sizes it can be compared with.
        scores: Every score that the host has given in the agent's sight.
    """

    modes: Mapping[str, Mode]
    strategies: Sequence[Strategy] = ()
    scores: tuple[float, ...] = ()


async def review(
    attempt: Attempt,
    candidate: Candidate,
    parent_code: Mapping[str, str],
    visible: VisibleStrategies,
) -> None:
    """Judge every file that differs from the parent's, and act on it.

    Args:
        attempt: Where observers are told.
        candidate: The generation after ingest; its code and its violations change.
        parent_code: Path to text before the agent's turn.
        visible: Whose sizes and scores it can be compared with.
    """
    modes = attempt.context.config.policies
    by = PolicyContext(modes, visible.strategies, known_scores(attempt, candidate.history, visible))
    # In a thread: how long it takes is an agent's choice.
    judgements = await anyio.to_thread.run_sync(review_code, candidate, parent_code, by)
    for judgement in judgements:
        event = PolicyJudged(
            attempt.who.name,
            attempt.generation,
            judgement.policy,
            judgement.path,
            judgement.outcome,
            judgement.count,
        )
        attempt.context.emit(event)


def review_code(
    candidate: Candidate, parent_code: Mapping[str, str], by: PolicyContext
) -> list[Judgement]:
    """Judge and act as `review` does, by what is given; returns what was found, by path."""
    judgements: list[Judgement] = []
    for path, text in sorted(candidate.code.items()):
        before = parent_code.get(path, "")
        if text == before:
            continue
        peers = {s.folder: s.files[path] for s in by.strategies if path in s.files}
        revision = Revision(
            path, SourceText(path, before), SourceText(path, text), peers, by.scores
        )
        judged = judge(revision, by.modes)
        if path not in parent_code and not judged.text:
            del candidate.code[path]
        else:
            candidate.code[path] = judged.text
        candidate.note(_violation(revision, judged, each) for each in judged.judgements)
        judgements += judged.judgements
    return judgements


def known_scores(
    attempt: Attempt, history: Sequence[int], visible: VisibleStrategies
) -> tuple[float, ...]:
    """Every score that is in the agent's sight this round."""
    context = attempt.context
    own = [visible.own.in_sight.entries[generation] for generation in history]
    scores = [context.config.visible.scores(row.train_score, row.val_score) for row in own]
    scores += [visible.visibility.scores(row.train_score, row.val_score) for row in visible.shown]
    return tuple(score for row in scores for score in row.values() if score is not None)


def _violation(revision: Revision, judged: ReviewedFile, judgement: Judgement) -> Violation:
    kinds = ", ".join(sorted({finding.kind for finding in judgement.findings}))
    return Violation(
        topic="policy",
        what=f"{judgement.policy} in {judgement.path}: {judgement.count} found ({kinds})",
        path=judgement.path,
        verdict=judgement.outcome,
        reason=judgement.reason,
        evidence={
            "policy": judgement.policy,
            "mode": judgement.mode,
            "count": judgement.count,
            "findings": [
                {"line": finding.line, "kind": finding.kind, "quote": finding.quote}
                for finding in judgement.findings
            ],
            **_difference(revision, judged, judgement),
        },
    )


def _difference(revision: Revision, judged: ReviewedFile, judgement: Judgement) -> dict[str, str]:
    """Hashes, and a diff where the guard did something: what it took out, without any secret."""
    texts = text_hashes({"before": revision.before.text, "after": revision.after.text})
    evidence = {f"sha256_{name}": digest for name, digest in texts.items()}
    if judgement.outcome != "flagged":
        stands, written = (mask_secrets(text) for text in (judged.text, revision.after.text))
        contents = stands.encode(), written.encode()
        change = describe_change(
            judgement.path, "changed", judgement.reason, contents, IngestLimits()
        )
        evidence["diff"] = change.diff
    return evidence
