"""All policies over all files that a generation changes, and what is done about their findings."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from guards.content.base import CodePolicy, ContentFinding, Revision
from guards.content.growth import Growth
from guards.content.modes import DEFAULTS, Mode
from guards.content.peer_instructions import PeerInstructions
from guards.content.rewrite import REWRITABLE, CannotRewrite, rewrite
from guards.content.score_claims import ScoreClaims
from guards.content.secrets import Secrets, mask_secrets
from guards.content.source import SourceText
from guards.content.stop_signals import StopSignals

Outcome = Literal["flagged", "rewritten", "reverted"]
MOST_TOLD = 20
MARKER = "[removed by the guard]"


class Judgement(msgspec.Struct, frozen=True):
    """The findings of one policy in one file, and what was done about them.

    Attributes:
        policy: Its name.
        mode: Its mode in this run.
        path: Workspace path.
        outcome: `flagged` left the text as it was, `rewritten` replaced comments and docstrings,
            `reverted` put the parent's file back.
        reason: Why, in one line.
        count: How many things were found.
        findings: The first 20 of them, in the order of lines.
    """

    policy: str
    mode: Mode
    path: str
    outcome: Outcome
    reason: str
    count: int
    findings: tuple[ContentFinding, ...]


class ReviewedFile(msgspec.Struct, frozen=True):
    """One file after all policies.

    Attributes:
        text: What becomes code: the agent's text, a rewritten one, or the parent's.
        judgements: By policy, in the order in which policies are listed.
    """

    text: str
    judgements: tuple[Judgement, ...]


class _Review(NamedTuple):
    policy: str
    mode: Mode
    findings: list[ContentFinding]


def policies() -> tuple[CodePolicy, ...]:
    """Every policy, in the order in which they are listed."""
    return Secrets(), Growth(), StopSignals(), ScoreClaims(), PeerInstructions()


def judge(revision: Revision, modes: Mapping[str, Mode]) -> ReviewedFile:
    """Review one changed file and act as the modes say.

    What cannot be rewritten is rejected. Policies that are off look at nothing.
    """
    reviews = _review(revision, modes)
    why = {review.policy: "it is not let in" for review in reviews if review.mode == "reject"}
    text = revision.after.text
    if not why:
        text, why = _rewritten(revision, reviews)
    if why:
        text = revision.before.text
    judgements = (_judgement(revision.path, review, why) for review in reviews)
    return ReviewedFile(text, tuple(judgements))


def _review(revision: Revision, modes: Mapping[str, Mode]) -> Sequence[_Review]:
    active = [policy for policy in policies() if modes[policy.name] != "off"]
    reviewed = [_Review(p.name, modes[p.name], p.review(revision)) for p in active]
    return [review for review in reviewed if review.findings]


def _rewritten(revision: Revision, reviews: Iterable[_Review]) -> tuple[str, dict[str, str]]:
    """The text without what is to be rewritten; or, by policy, why that cannot be done."""
    offending = {review.policy: review.findings for review in reviews if review.mode == "rewrite"}
    text = revision.after.text
    if not offending:
        return text, {}
    try:
        text = rewrite(text, [f for findings in offending.values() for f in findings], MARKER)
    except CannotRewrite as error:
        beyond = {f.part for fs in offending.values() for f in fs} - set(REWRITABLE)
        blamed = [name for name, fs in offending.items() if beyond & {f.part for f in fs}]
        return text, dict.fromkeys(blamed or offending, f"cannot be rewritten: {error}")
    left = _review(
        revision._replace(after=SourceText(revision.after.path, text)),
        {name: "rewrite" if name in offending else "off" for name in DEFAULTS},
    )
    return text, {review.policy: "cannot be rewritten: it would still be there" for review in left}


def _judgement(path: str, review: _Review, reverted: Mapping[str, str]) -> Judgement:
    name, mode, findings = review
    outcome: Outcome = "flagged"
    reason = "left as it is"
    if name in reverted:
        outcome, reason = "reverted", reverted[name]
    elif reverted:
        reason = f"its file was reverted for {', '.join(reverted)}"
    elif mode == "rewrite":
        outcome, reason = "rewritten", "its comments and docstrings were replaced"
    told = tuple(
        msgspec.structs.replace(finding, quote=mask_secrets(finding.quote))
        for finding in findings[:MOST_TOLD]
    )
    return Judgement(name, mode, path, outcome, reason, len(findings), told)
