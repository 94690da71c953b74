"""The mark space of a run: scopes, needs, marks with their strength, as of any moment."""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from hyperspace.audit.audit import promised_head
from hyperspace.dashboard.api.marks import marks_of, moment_of
from hyperspace.dashboard.errors import NotThere
from hyperspace.dashboard.pages.forms import FormField, asking_form
from hyperspace.dashboard.pages.parts import link, long_text, named, path_name
from hyperspace.dashboard.pages.plots_svg import panel_svg
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.view import PageContent, View, glued
from hyperspace.kernel.errors import RunDamaged
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.reporting.figures import Curve, Panel
from hyperspace.reporting.page import (
    Markup,
    figure,
    folded,
    joined,
    marked,
    note,
    paragraph,
    preformatted,
    section,
    table,
)
from hyperspace.runs.spaces.snapshot import MomentMark, NeedState, SpaceMoment, mark_at
from hyperspace.runs.spaces.strength import StrengthPoint, strengths_of

VERIFIED_AT_ONCE: Final = 2_000  # entries; more are verified when that is asked for
MOST_SAID: Final = 2_000  # characters of one mark in the table
MOST_AT_ONCE: Final = 100_000  # characters of one mark on a page
FEW_SCOPES: Final = 8  # more are folded: marks come first


def render(question: Question) -> PageContent:
    """Show a moment of the space, or one mark whole."""
    if question.query.get("mark"):
        return _one(question, question.whole("mark", 0))
    moment = moment_of(question, with_texts=True)
    parts = (
        _chain(question, moment),
        _moments(question, moment),
        section("Needs: what agents ask you", *_needs(question, moment.needs)),
        section("Scopes", _scopes(question, moment)),
        section("Marks", *_marks(question, moment)),
    )
    return glued("Marks", parts, scripts=("marks.js",), wide=True)


def _one(question: Question, sequence: int) -> PageContent:
    with marks_of(question) as marks:
        mark = mark_at(marks.space, sequence)
        points = strengths_of(marks.space, sequence)
    if mark is None:
        raise NotThere(f"the space has no mark {sequence}")
    text = msgspec.json.format(msgspec.json.encode(mark.model_dump()), indent=2).decode()
    part = question.whole("from", 0)
    shown = text[part : part + MOST_AT_ONCE]
    rest = part + len(shown)
    parts = (
        paragraph(link("all marks", _address(question)), f" · {len(text):,} characters"),
        _strength(points) if not part else "",
        preformatted(shown.replace("\\n", "\n")),
        paragraph(link("the mark goes on", _address(question, mark=sequence, **{"from": rest})))
        if rest < len(text)
        else "",
    )
    title = f"Mark {sequence}: {mark.mark_type.value} in {mark.scope}"
    lead = "Line breaks within texts are shown as such."
    return glued(title, parts, ("tables.js",), lead=lead, wide=True)


def _strength(points: Sequence[StrengthPoint]) -> Markup:
    """Draw how strong a mark was; nothing where there is one moment only."""
    if len(points) < 2:
        return Markup("")
    times, strengths = zip(*((point.clock, point.strength) for point in points), strict=True)
    curve = Curve("", times, strengths, "steps", 0)
    svg = panel_svg(Panel(title="", x="round", y="strength", curves=(curve,)), tall_px=180)
    rows = [(str(each.at), f"{each.clock:g}", f"{each.strength:.4f}") for each in points]
    numbers = table(
        ("as of mark", "round", "strength"), rows, caption="Strength", numeric=(0, 1, 2)
    )
    caption = "Its strength over rounds, until now or until another mark took its place"
    return joined((figure(svg, caption), folded("The numbers of this curve", numbers)))


def _chain(question: Question, moment: SpaceMoment) -> Markup:
    """Return where the audit chain stands, and whether it verifies."""
    told = f"{moment.head} marks; audit chain of {moment.entries} entries, head "
    head = Markup(f"<code>{moment.digest}</code>")
    if moment.entries > VERIFIED_AT_ONCE and question.query.get("verify") != "1":
        how = joined((". ", link("verify it now", _address(question, verify=1))))
        return paragraph(told, head, how)
    try:
        promised = promised_head(RunFolder(question.place.folder))
    except RunDamaged as error:
        return joined((paragraph(told, head), note(f"It cannot be verified: {error}.")))
    with marks_of(question) as marks:
        result = marks.space.verify(expected_head=promised)
    if result.ok:
        names = ", and holds the head that summary.json names" if promised else ""
        return paragraph(told, head, ": ", marked(f"it verifies{names}", "good"))
    return joined((paragraph(told, head), note(f"It does not verify: {result.problem}")))


def _moments(question: Question, moment: SpaceMoment) -> Markup:
    """Return the form that goes to another moment; without scripts its number can be typed."""
    fields = [FormField("at", "as of mark", str(moment.at), "range", moment.head)]
    if scope := question.text("scope"):
        fields.append(FormField("scope", "", scope, "hidden"))
    form = asking_form(_address(question), fields, "Show")
    if moment.at == moment.head:
        return joined((form, paragraph("This is the present.")))
    now = link("to the present", _address(question))
    told = f"This is the space as it was right after mark {moment.at}, in round {moment.clock:g}: "
    return joined((form, note(told, now)))


def _needs(question: Question, needs: tuple[NeedState, ...]) -> Iterator[str]:
    if not needs:
        yield paragraph("No agent has asked anything.")
        return
    rows = [
        (
            _opened(question, need.sequence),
            marked("open", "bad") if need.is_open else marked("answered", "good"),
            f"{need.priority:.2f}",
            "waits for the answer" if need.blocking else "goes on without",
            long_text(need.question, MOST_SAID),
        )
        for need in needs
    ]
    headings = ("mark", "state", "priority", "urgency", "question")
    count = sum(need.is_open for need in needs)
    yield table(headings, rows, caption=f"{count} open of {len(needs)}", numeric=(0, 2))


def _scopes(question: Question, moment: SpaceMoment) -> Markup:
    if moment.counts is None:
        return paragraph(
            "There are too many marks to count at each look; `hyperspace space stats RUN` counts."
        )
    at = _at(question)
    rows = [
        (
            link(count.scope, _address(question, scope=count.scope, **at)),
            count.mark_type,
            *map(str, (count.live, count.superseded, count.archived)),
        )
        for count in moment.counts
    ]
    headings = ("scope", "type", "live", "superseded", "archived")
    counts = table(headings, rows, caption="Marks by scope and type", numeric=(2, 3, 4))
    return counts if len(rows) <= FEW_SCOPES else folded(f"{len(rows)} scopes and types", counts)


def _marks(question: Question, moment: SpaceMoment) -> Iterator[str]:
    scope, query = question.text("scope"), _at(question)
    if scope:
        every = link("all scopes", _address(question, **query))
        yield paragraph(f"Only those in {scope} and below it; ", every)
        query["scope"] = scope
    headings = ("mark", "type", "scope", "says", "topic", "by", "round", "strength", "state")
    rows = (_mark(question, mark) for mark in moment.marks)
    caption = f"{len(moment.marks)} marks, the last one first"
    yield table(headings, rows, caption=caption, numeric=(0, 6, 7))
    if moment.before:
        yield paragraph(link("earlier marks", _address(question, before=moment.before, **query)))


def _mark(question: Question, mark: MomentMark) -> tuple[str, ...]:
    state = mark.state
    if mark.superseded_by is not None:
        state = joined(("superseded by ", _opened(question, mark.superseded_by)))
    return (
        _opened(question, mark.sequence),
        mark.mark_type,
        path_name(mark.scope),
        long_text(mark.said, MOST_SAID),
        named(mark.key),
        named(mark.author),
        f"{mark.created_at:.2f}",
        f"{mark.strength:.2f}",
        state if mark.state == "live" else Markup(f'<span class="weak">{joined((state,))}</span>'),
    )


def _opened(question: Question, sequence: int) -> Markup:
    return link(str(sequence), _address(question, mark=sequence))


def _at(question: Question) -> dict[str, str | int]:
    return {"at": question.whole("at", 0)} if question.query.get("at") else {}


def _address(question: Question, **query: str | int) -> str:
    return question.links.page("runs", question.path["run"], "marks", **query)


VIEW = View("marks", "/runs/{run}/marks", render, label="Marks", of="ours")
