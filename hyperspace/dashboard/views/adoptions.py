"""Adoptions: every event with its verdict by both rules, and the path of its evidence."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from hyperspace.dashboard.errors import BadQuery
from hyperspace.dashboard.pages.addresses import (
    diff_page,
    event_id,
    generation_page,
    named_place,
    run_page,
    strategy_source,
    trace_page,
)
from hyperspace.dashboard.pages.facts import separated
from hyperspace.dashboard.pages.pager import pager
from hyperspace.dashboard.pages.parts import choice, link
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.reading.judged import analysis_of, recorded_adoptions, reply_lines
from hyperspace.dashboard.view import PageContent, View, glued
from hyperspace.dashboard.views.unjudged import followed_adoptions, how_to_judge
from hyperspace.reporting.lines import counted, score, signed
from hyperspace.reporting.page import (
    Markup,
    bullets,
    escaped,
    folded,
    joined,
    marked,
    note,
    paragraph,
    table,
)
from hyperspace.runs.records import Run
from transfer_experiment.adoption.events import Adoption
from transfer_experiment.adoption.side_by_side import RuleComparison
from transfer_experiment.analysis import RunAnalysis
from transfer_experiment.outputs.lines import not_known
from transfer_experiment.turns.path_step import PathStep

MOST_EVENTS: Final = 100  # on one page
VERDICTS: Final = ("adopted", "inspired", "unproven", "coincident")
_MEANING: Final = {
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


def render(question: Question) -> PageContent:
    """Show the adoptions of a run."""
    run, analysis = question.run(), analysis_of(question)
    title = "Adoptions"
    if analysis is None:
        events = recorded_adoptions(question)
        shown = followed_adoptions(question) if events is None else _recorded(question, run, events)
        return glued(title, (*how_to_judge(run), *shown))
    why = not_known(has_code=analysis.has_code, has_traces=analysis.has_traces)
    parts = [note(f"Adoption: {why}")] if why else []
    if not analysis.adoptions and not why:
        parts.append(paragraph("No agent's code came nearer to a peer's than to its own."))
    by_move = {(c.agent, c.generation, c.peer): c for c in analysis.comparisons}
    causal = [event for event in analysis.adoptions if event.rule == "causal"]
    parts += _events(question, run, causal, by_move)
    parts += _published_alone(question, run, analysis)
    parts += [folded("Notes on this run", bullets(analysis.notes))] if analysis.notes else []
    return glued(title, tuple(parts), lead=_lead(analysis))


def _recorded(question: Question, run: Run, events: Sequence[Adoption]) -> Iterator[Markup]:
    yield paragraph("It recorded these events itself, all of them with the verdict adopted.")
    yield from _events(question, run, events, {})


def _lead(analysis: RunAnalysis) -> str:
    causal = Counter(e.verdict for e in analysis.adoptions if e.rule == "causal")
    published = sum(e.rule == "published" for e in analysis.adoptions)
    told = ", ".join(f"{causal[verdict]} {verdict}" for verdict in VERDICTS)
    disagree = sum(bool(item.why) for item in analysis.comparisons)
    return (
        f"By the causal rule: {told}. The published rule, which looks at similarity alone, finds "
        f"{counted(published, 'event')}; the rules disagree on {disagree}."
    )


def _events(
    question: Question,
    run: Run,
    events: Sequence[Adoption],
    by_move: dict[tuple[str, int, str], RuleComparison],
) -> Iterator[Markup]:
    """Show events: those with the verdict that is asked for, or one alone."""
    ids = {event_id(run, event): event for event in events}
    alone, verdict = question.text("event"), question.text("verdict")
    if verdict and verdict not in VERDICTS:
        raise BadQuery(f"verdict={verdict[:40]!r} is none; there are {', '.join(VERDICTS)}")
    wanted = {
        name: event
        for name, event in ids.items()
        if (not alone or name == alone)
        and (event.verdict == verdict if verdict else alone or event.verdict != "coincident")
    }
    yield _filters(question, events, verdict)
    if not wanted:
        if events:
            yield paragraph("There is no event of this kind.")
        return
    first = question.whole("from", 0)
    chosen = list(wanted.items())[first : first + MOST_EVENTS]
    yield _overview(question, run, chosen)
    for name, event in chosen:
        comparison = by_move.get((event.agent, event.generation, event.peer))
        yield _event(question, run, name, event, comparison)
    query = {"verdict": verdict} if verdict else {}
    yield pager(question, "adoptions", query, first, MOST_EVENTS, len(wanted))


def _filters(question: Question, events: Sequence[Adoption], verdict: str) -> Markup:
    counts = Counter(event.verdict for event in events)
    shown = [
        choice(
            f"{name} ({counts[name]})",
            run_page(question, "adoptions", verdict=name),
            is_chosen=name == verdict,
        )
        for name in VERDICTS
        if counts[name]
    ]
    is_every = not verdict and not question.text("event")
    every = choice("all but coincident", run_page(question, "adoptions"), is_chosen=is_every)
    return paragraph("Show ", separated([every, *shown], ", "), ".") if shown else Markup("")


def _overview(question: Question, run: Run, events: Iterable[tuple[str, Adoption]]) -> Markup:
    rows = [
        (
            link(f"{event.agent} gen {event.generation}", f"#{name}"),
            _from(question, run, event),
            marked(event.verdict, _COLOUR[event.verdict]),
            f"{event.ratio:.3f}",
            score(event.score_before),
            score(event.score_after),
            _gain(event),
            str(event.peer_lines),
        )
        for name, event in events
    ]
    headings = ("who", "from", "verdict", "ratio", "val before", "after", "change", "lines")
    caption = "Events by the causal rule: lines are those that came from the peer alone"
    return table(headings, rows, caption=caption, numeric=range(3, 8))


def _event(
    question: Question, run: Run, name: str, event: Adoption, comparison: RuleComparison | None
) -> Markup:
    agent = run.agent(event.agent)
    source = strategy_source(agent, event.generation, event.strategy.rpartition("/")[2])
    turn = agent.turn(event.generation)
    replies = () if turn is None or not event.path else reply_lines(turn)
    steps = [_step(question, run, event, step, replies) for step in event.path]
    scores = (
        f"Validation score {score(event.score_before)} before, {score(event.score_after)} after"
    )
    links = [link("code", generation_page(question, event.agent, event.generation))]
    if source is not None:
        ends = (f"{source[0]}:{source[1]}", f"{event.agent}:{event.generation}")
        links.append(link("difference to the peer's", diff_page(question, *ends)))
    evidence = [
        joined((_place(question, run, event, e.file, e.line), f" ({e.rank}) {e.quote}"))
        for e in event.evidence
    ]
    title = joined(
        (
            f"{event.agent} generation {event.generation} from ",
            _from(question, run, event),
            ": ",
            marked(event.verdict, _COLOUR[event.verdict]),
        )
    )
    parts = [
        paragraph(
            f"{_MEANING[event.verdict].capitalize()}; ratio {event.ratio:.3f} (0 is a pure copy), "
            f"{counted(event.peer_lines, 'line')} of the peer. ",
            "" if event.valid else "Not valid: a recorded agent was asked something new before. ",
            _published(comparison),
        ),
        _numbered([*steps, escaped(f"{scores} ({_gain(event)})")]),
        paragraph(separated(links)),
    ]
    if not event.path:
        parts.insert(1, paragraph("No path is on record."))
    if evidence:
        parts.append(folded(f"Evidence: {counted(len(evidence), 'place')}", bullets(evidence)))
    return Markup(
        f'<article id="{escaped(name)}" class="event"><h2>{title}</h2>{joined(parts)}</article>\n'
    )


def _published(comparison: RuleComparison | None) -> str:
    if comparison is None:
        return "The published rule finds no event."
    if comparison.published is None:
        return f"The published rule finds no event: {comparison.why}."
    agrees = (
        "agrees"
        if not comparison.why
        else f"finds an event, and the causal rule none: {comparison.why}"
    )
    return f"The published rule {agrees} (ratio {comparison.published:.3f})."


def _step(
    question: Question, run: Run, event: Adoption, step: PathStep, replies: Sequence[int]
) -> Markup:
    after: str = ""
    if step.step is not None:
        after = f"reply {step.step}"
        if 0 < step.step <= len(replies):
            line = replies[step.step - 1]
            after = link(after, trace_page(question, event.agent, event.generation, line))
        after = joined((", after ", after))
    quote = Markup(f" <code>{escaped(step.quote)}</code>") if step.quote else ""
    place = _place(question, run, event, step.file, step.line)
    return joined((f"It {_STEPS[step.kind]}", after, ": ", place, quote))


def _place(question: Question, run: Run, event: Adoption, file: str, line: int) -> Markup:
    named = f"{file}:{line}" if line else file
    address = named_place(question, run.agent(event.agent), event.generation, file, line)
    return link(named, address) if address else escaped(named)


def _published_alone(question: Question, run: Run, analysis: RunAnalysis) -> Iterator[Markup]:
    """Where the rules disagree, as the analysis tells it."""
    rows = [
        (
            link(f"{c.agent} gen {c.generation}", generation_page(question, c.agent, c.generation)),
            c.peer,
            "-" if c.published is None else f"{c.published:.3f}",
            "-" if c.causal is None else f"{c.causal:.3f}",
            c.why,
        )
        for c in analysis.comparisons
        if c.why
    ][:MOST_EVENTS]
    if rows:
        headings = ("who", "peer", "published ratio", "causal ratio", "why")
        yield table(headings, rows, caption="Where the rules disagree", numeric=(2, 3))


def _from(question: Question, run: Run, event: Adoption) -> Markup:
    folder = event.strategy.rpartition("/")[2]
    source = strategy_source(run.agent(event.agent), event.generation, folder)
    if source is None:
        return escaped(folder)
    return link(f"{source[0]} gen {source[1]}", generation_page(question, *source))


def _gain(event: Adoption) -> str:
    if event.score_before is None or event.score_after is None:
        return "-"
    return signed(event.score_after - event.score_before)


def _numbered(items: Iterable[str]) -> Markup:
    points = "".join(f"<li>{escaped(item)}</li>\n" for item in items)
    return Markup(f'<ol class="path">\n{points}</ol>\n')


VIEW = View("adoptions", "/runs/{run}/adoptions", render, label="Adoptions", of="peers")
