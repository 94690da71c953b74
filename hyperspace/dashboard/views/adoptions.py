"""Adoptions: every event with its verdict by both rules, and the path of its evidence."""

import shlex
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from hyperspace.dashboard.errors import BadQuery
from hyperspace.dashboard.pages.addresses import (
    event_id,
    named_place,
    strategy_source,
    trace_page,
)
from hyperspace.dashboard.pages.pager import pager
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.reading.judged import analysis_of, recorded_adoptions, reply_lines
from hyperspace.dashboard.results.arrows import LEARN_S
from hyperspace.dashboard.view import PageContent, View
from hyperspace.reporting.lines import signed
from hyperspace.runs.records import Run
from transfer_experiment.adoption.events import Adoption
from transfer_experiment.adoption.side_by_side import RuleComparison
from transfer_experiment.outputs.lines import not_known
from transfer_experiment.turns.path_step import PathStep

MOST_EVENTS: Final = 100  # on one page
MEANINGS: Final = {
    "adopted": "the code became the peer's, by an observed path",
    "inspired": "a path was observed; little code came, or in other words",
    "unproven": "alike, and observations are missing",
    "coincident": "alike, and observed to have no path",
}
_COLOUR: Final = {
    "adopted": "good",
    "inspired": "warn",
    "unproven": "weak",
    "coincident": "weak",
}
_STEPS: Final = {
    "in_sight": "lay in sight",
    "displayed": "was displayed to the model",
    "opened": "was opened by a program",
    "carried": "stood in a file of the agent's own",
    "typed": "was typed by the model",
    "copied": "was copied by a program",
    "came_in": "came into the code",
}


class NamedPlace(NamedTuple):
    """A place in a file; its address is empty where no page has it."""

    name: str
    address: str


class ShownStep(NamedTuple):
    """A step of the path of an event.

    Attributes:
        did: What the code did.
        reply: After which reply of the model; empty where that is not known.
        reply_address: Where that reply stands.
        place: Where it is on record.
        quote: From there.
    """

    did: str
    reply: str
    reply_address: str
    place: NamedPlace
    quote: str


class ShownEvidence(NamedTuple):
    """A place that is evidence of an event."""

    place: NamedPlace
    rank: str
    quote: str


class ShownEvent(NamedTuple):
    """An adoption event.

    Attributes:
        id: Of its element.
        event: The event.
        colour: Of its verdict.
        folder: Of the strategy.
        source: Whose strategy it was, and of which generation; None if that is not known.
        gain: How the score changed.
        comparison: What the published rule finds; None if it finds nothing.
        steps: Its path.
        evidence: Of it.
    """

    id: str
    event: Adoption
    colour: str
    folder: str
    source: tuple[str, int] | None
    gain: str
    comparison: RuleComparison | None
    steps: list[ShownStep]
    evidence: list[ShownEvidence]


def render(question: Question) -> PageContent:
    """Show the adoptions of a run."""
    run, analysis = question.run(), analysis_of(question)
    values: dict[str, Any] = {"analysis": analysis, "meanings": MEANINGS}
    if analysis is None:
        recorded = recorded_adoptions(question)
        learned = None if recorded is not None else question.followed().learn_arrows(LEARN_S)
        values |= {
            "generations": sum(len(agent.generations) for agent in run.agents),
            "command": f"hyperspace analyze {shlex.quote(run.source)} --html adoptions.html",
            "followed": learned,
        }
        events, by_move = recorded or (), {}
    else:
        events = [event for event in analysis.adoptions if event.rule == "causal"]
        by_move = {(c.agent, c.generation, c.peer): c for c in analysis.comparisons}
        values |= {
            "unknown": not_known(has_code=analysis.has_code, has_traces=analysis.has_traces),
            "published": len(analysis.adoptions) - len(events),
            "disagreements": [each for each in analysis.comparisons if each.why],
        }
    return PageContent(
        "Adoptions", "adoptions.html", values | _events(question, run, events, by_move)
    )


def _events(
    question: Question,
    run: Run,
    events: Sequence[Adoption],
    by_move: dict[tuple[str, int, str], RuleComparison],
) -> dict[str, Any]:
    """Choose the events with the verdict that is asked for, or one alone."""
    alone, verdict = question.text("event"), question.text("verdict")
    if verdict and verdict not in MEANINGS:
        raise BadQuery(f"verdict={verdict[:40]!r} is none; there are {', '.join(MEANINGS)}")
    ids = {event_id(run, event): event for event in events}
    wanted = [
        (name, event)
        for name, event in ids.items()
        if (not alone or name == alone)
        and (event.verdict == verdict if verdict else alone or event.verdict != "coincident")
    ]
    first = question.whole("from", 0)
    query = {"verdict": verdict} if verdict else {}
    return {
        "verdict": verdict,
        "is_every": not verdict and not alone,
        "counts": Counter(event.verdict for event in events),
        "events": [
            _event(
                question,
                run,
                name,
                event,
                by_move.get((event.agent, event.generation, event.peer)),
            )
            for name, event in wanted[first : first + MOST_EVENTS]
        ],
        "pages": pager(question, "adoptions", query, first, MOST_EVENTS, len(wanted)),
    }


def _event(
    question: Question, run: Run, name: str, event: Adoption, comparison: RuleComparison | None
) -> ShownEvent:
    agent = run.agent(event.agent)
    folder = event.strategy.rpartition("/")[2]
    turn = agent.turn(event.generation)
    replies = () if turn is None or not event.path else reply_lines(turn)
    gain = "-"
    if event.score_before is not None and event.score_after is not None:
        gain = signed(event.score_after - event.score_before)
    return ShownEvent(
        name,
        event,
        _COLOUR[event.verdict],
        folder,
        strategy_source(agent, event.generation, folder),
        gain,
        comparison,
        [_step(question, run, event, step, replies) for step in event.path],
        [
            ShownEvidence(_place(question, run, event, e.file, e.line), str(e.rank), e.quote)
            for e in event.evidence
        ],
    )


def _step(
    question: Question, run: Run, event: Adoption, step: PathStep, replies: Sequence[int]
) -> ShownStep:
    address = ""
    if step.step is not None and 0 < step.step <= len(replies):
        address = trace_page(question, event.agent, event.generation, replies[step.step - 1])
    return ShownStep(
        _STEPS[step.kind],
        "" if step.step is None else f"reply {step.step}",
        address,
        _place(question, run, event, step.file, step.line),
        step.quote,
    )


def _place(question: Question, run: Run, event: Adoption, file: str, line: int) -> NamedPlace:
    address = named_place(question, run.agent(event.agent), event.generation, file, line)
    return NamedPlace(f"{file}:{line}" if line else file, address)


VIEW = View("adoptions", "/runs/{run}/adoptions", render, label="Adoptions", of="peers")
