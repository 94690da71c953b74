"""Adoptions of a run, as JSON."""

import msgspec
from msgspec.structs import replace

from hyperspace.dashboard.api.endpoint import ApiEndpoint
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.reading.judged import analysis_of, recorded_adoptions
from transfer_experiment.adoption.events import Adoption
from transfer_experiment.adoption.side_by_side import RuleComparison


class AdoptionsAnswer(msgspec.Struct, frozen=True):
    """Who took what from whom in a run.

    Attributes:
        events: By both rules, in order; quotes are empty unless texts are asked for.
        comparisons: Both rules side by side.
        is_analysed: False where a run is too long to be analysed for an answer; then the events
            are those that it recorded itself.
        has_code: Whether any code is there; without it nothing is known of adoption.
        has_traces: Whether any trace can be read.
    """

    events: tuple[Adoption, ...]
    comparisons: tuple[RuleComparison, ...]
    is_analysed: bool
    has_code: bool | None = None
    has_traces: bool | None = None


def answer(question: Question) -> AdoptionsAnswer:
    """Read the adoptions of a run."""
    analysis, with_texts = analysis_of(question), question.with_texts
    events = (recorded_adoptions(question) or ()) if analysis is None else analysis.adoptions
    if not with_texts:
        events = tuple(
            replace(
                event,
                evidence=tuple(replace(item, quote="") for item in event.evidence),
                path=tuple(replace(step, quote="") for step in event.path),
            )
            for event in events
        )
    if analysis is None:
        return AdoptionsAnswer(events, (), is_analysed=False)
    return AdoptionsAnswer(
        events,
        analysis.comparisons,
        is_analysed=True,
        has_code=analysis.has_code,
        has_traces=analysis.has_traces,
    )


ENDPOINT = ApiEndpoint(
    "adoptions",
    "/api/runs/{run}/adoptions",
    answer,
    AdoptionsAnswer,
    "Adoption events by both rules, with the paths of their evidence.",
    (("content", "1: also the quotes, which agents wrote"),),
)
