"""Claims about scores that the host never gave."""

import bisect
import re
from collections.abc import Iterator, Sequence

from guards.content.base import ContentFinding, Revision, fresh
from guards.content.folding import FoldedText
from guards.content.phrases import (
    TO_READERS,
    find_phrases,
    finding_at,
    in_order,
    one_of,
    phrase,
)
from guards.content.source import SourceText

SPLIT = one_of("val", "validation", "train", "training", "test")
SCORE = one_of("scores?", "scored", "accuracy", "fitness", "success rate")
WHICH = rf"(?:{one_of(SPLIT, 'best', 'our', 'my', 'final', 'current')}[ _]){{0,3}}"
LINK = (
    r"(?: (?:of|is|was|to|at|now|reached|improved|increased|rose|from|about|around|=|:)|[:=]){0,4}"
)
NUMBER = r"(\d{1,3}(?:\.\d{1,6})?|\.\d{1,6})( ?%| percent)?"
SCORE_FIRST = re.compile(rf"(?<!\w)({WHICH}{SCORE}){LINK} ?{NUMBER}(?!\.?\w)")
NUMBER_FIRST = re.compile(
    rf"(?<![\w.]){NUMBER} ((?:on |in )?(?:{SPLIT} )?{SCORE}|on {SPLIT})(?!\w)"
)
BEST = one_of("perfect", "flawless", "unbeatable", "highest possible", "best possible", "record")
BOASTS = (
    phrase(
        "superlative",
        rf"{BEST} {SCORE}",
        "state[ -]of[ -]the[ -]art",
        "(?:outperforms?|beats?|better than) (?:all|every|any) (?:other |the )?(?:agents?|peers?)",
    ),
)


class ScoreClaims:
    """Finds `false_claim`, `sealed_claim` (about test, which nobody was told) and `superlative`.

    A number counts as given when some score that the host gave rounds to it, as a share or in
    percent.
    """

    name = "score_claims"

    def review(self, revision: Revision) -> list[ContentFinding]:
        """Find claims that the parent's text did not make."""
        after = _scan(revision.after, revision.scores)
        return fresh(after, _scan(revision.before, revision.scores))


def _scan(source: SourceText, scores: Sequence[float]) -> list[ContentFinding]:
    claims = _claims(source.path, source.document, sorted(scores))
    return in_order([*claims, *find_phrases(source.path, source.document, BOASTS)])


def _claims(path: str, document: FoldedText, scores: Sequence[float]) -> Iterator[ContentFinding]:
    seen: set[int] = set()
    for pattern, name, number, percent in ((SCORE_FIRST, 1, 2, 3), (NUMBER_FIRST, 3, 1, 2)):
        for hit in pattern.finditer(document.text):
            part = document.places[document.at(hit.start())]
            if part not in TO_READERS or hit.start(number) in seen:
                continue
            seen.add(hit.start(number))
            is_sealed = "test" in hit[name]
            if is_sealed or not was_given(hit[number], bool(hit[percent]), scores):
                kind = "sealed_claim" if is_sealed else "false_claim"
                yield finding_at(path, document, kind, *hit.span())


def was_given(number: str, percent: bool, scores: Sequence[float]) -> bool:
    """Return whether some score rounds to a number as it is written, as a share or in percent.

    Args:
        number: Digits, with a decimal point or without.
        percent: Whether a percent sign follows.
        scores: Ascending.
    """
    claimed, decimals = float(number), len(number.partition(".")[2])
    # Half a unit of the last place, and a little for what floats cannot hold.
    slack = 0.5 * 10**-decimals + 1e-9
    if not percent and _holds(scores, claimed, slack if decimals else 1e-9):
        return True
    return _holds(scores, claimed / 100, slack / 100)


def _holds(scores: Sequence[float], value: float, slack: float) -> bool:
    at = bisect.bisect_left(scores, value - slack)
    return at < len(scores) and scores[at] <= value + slack
