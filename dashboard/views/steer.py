"""Steering: what was asked of a run and where it took effect, needs, and forms that ask more."""

from collections.abc import Iterator, Sequence

from dashboard.api.steering import steering
from dashboard.pages.forms import ChangeField, change_form
from dashboard.pages.parts import named
from dashboard.question import Question
from dashboard.view import PageContent, View
from reporting.page import Markup, note, paragraph, said, section, table
from runs.steering import NeedEntry, RunSteering, place_text

MOST_SHOWN = 2_000  # characters of what an agent asks
PRIMARY = (("pause", "Pause before the next look"), ("resume", "Go on"))


def render(question: Question) -> PageContent:
    """Show the steering of a run."""
    present = steering(question)
    parts = [
        note("This run is paused by its principal.") if present.paused else Markup(""),
        section("Needs", *_needs(question, present.needs)),
        section("Asked of this run", _marks(present)),
    ]
    if question.can_steer:
        parts.append(section("Ask for more", *_forms(question, present)))
    else:
        told = "Runs are steered here where the dashboard was started with --steer, "
        parts.append(paragraph(told, "and everywhere by `hyperspace steer RUN`."))
    lead = "Each wish is a mark of the principal: it takes effect at the next look."
    return PageContent("Steering", tuple(parts), ("steer.js",), lead)


def _needs(question: Question, needs: Sequence[NeedEntry]) -> Iterator[str]:
    if not needs:
        yield paragraph("No agent of this run has asked anything.")
        return
    rows = [
        (
            need.id[:8],
            named(need.agent),
            str(need.generation),
            "waits" if need.blocking and need.answer is None else "asks",
            said(need.question, MOST_SHOWN),
            "open" if need.answer is None else said(need.answer, MOST_SHOWN),
        )
        for need in needs
    ]
    headings = ("need", "agent", "generation", "", "question", "answer")
    yield table(headings, rows, caption="Needs, oldest first", numeric=(2,))
    if question.can_steer:
        text = ChangeField("text", "your answer", is_long=True)
        for need in needs:
            if need.answer is None:
                title = f"Answer {need.agent}, need {need.id[:8]}"
                yield _form(question, "answer", title, (text,), need=need.id)


def _marks(present: RunSteering) -> Markup:
    if not present.marks:
        return paragraph("Nothing was asked of this run.")
    rows = [
        (
            str(mark.sequence),
            mark.written_utc[:19].replace("T", " "),
            said(mark.text, MOST_SHOWN),
            mark.effect,
            ", ".join(map(place_text, mark.places)) or "-",
        )
        for mark in present.marks
    ]
    headings = ("mark", "written", "wish", "effect", "where")
    return table(headings, rows, caption="Wishes, oldest first", numeric=(0,))


def _forms(question: Question, present: RunSteering) -> Iterator[str]:
    verb, label = PRIMARY[present.paused]
    yield _form(question, verb, label, ())
    agent = ChangeField("agent", "agent", choices=tuple(a.name for a in question.run().agents))
    either = ChangeField("agent", "agent", choices=("all", *agent.choices))
    generation = ChangeField("generation", "generation", kind="number")
    text = ChangeField("text", "your words", is_long=True)
    name, model = ChangeField("name", "as"), ChangeField("model", "model (the same if empty)")
    yield _form(question, "say", "Say", (either, text))
    yield _form(question, "pin", "Pin (empty ends it)", (agent, generation))
    yield _form(question, "fork", "Fork", (agent, generation, name, model))
    limits = (
        ChangeField("calls", "calls", kind="number"),
        ChangeField("usd", "US dollars", kind="number", step="any"),
        ChangeField("tokens", "tokens", kind="number"),
    )
    yield _form(question, "quota", "Set quota", (agent, *limits))
    yield _form(question, "stop-agent", "Stop the agent", (agent,))


def _form(
    question: Question, verb: str, label: str, fields: Sequence[ChangeField], **fixed: str
) -> Markup:
    address = question.links.page("api", "runs", question.path["run"], "steer")
    return change_form(address, verb, fields, label, fixed)


VIEW = View("steer", "/runs/{run}/steer", render, label="Steer")
