"""Steering: what was asked of a run and where it took effect, needs, and forms that ask more."""

from collections.abc import Iterator, Sequence

from hyperspace.dashboard.api.steering import steering
from hyperspace.dashboard.pages.facts import PagePart, contents
from hyperspace.dashboard.pages.forms import ChangeField, change_form
from hyperspace.dashboard.pages.parts import long_text, named, shortened
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.view import PageContent, View, glued
from hyperspace.reporting.page import Markup, marked, note, paragraph, said, table
from hyperspace.runs.steering import NeedEntry, RunSteering, place_text

MOST_SHOWN = 2_000  # characters of what an agent asks
MOST_ASKED = 160  # of those beside the field for the answer
PRIMARY = (("pause", "Pause before the next generation"), ("resume", "Go on"))


def render(question: Question) -> PageContent:
    """Show the steering of a run."""
    present = steering(question)
    is_over = question.sources.followed.overview(question.place).state == "finished"
    can_ask = question.can_steer and not is_over
    needs = _needs(question, present.needs, can_answer=can_ask)
    below = [
        PagePart("needs", "Needs: what agents ask you", *needs),
        PagePart("wishes", "What you asked of this run", _marks(present)),
    ]
    told = Markup("")
    if is_over:
        told = note("This run is finished: there is nothing left to steer.")
    elif can_ask:
        below.append(PagePart("ask", "Ask something of it", *_forms(question, present)))
    else:
        told = paragraph(
            "Runs are steered here where the dashboard was started with --steer, and everywhere by "
            "`hyperspace steer RUN`."
        )
    parts = (
        note("This run is paused by its principal.") if present.paused else Markup(""),
        told,
        contents(below),
        *(part.shown() for part in below),
    )
    lead = (
        "What you ask for is put on record in your name, as the principal of the run, and takes "
        "effect before the next generation of the agent that it is about."
    )
    return glued("Steering", parts, ("steer.js",), lead)


def _needs(question: Question, needs: Sequence[NeedEntry], *, can_answer: bool) -> Iterator[str]:
    if not needs:
        yield paragraph("No agent of this run has asked anything.")
        return
    rows = [
        (
            named(need.agent),
            str(need.generation),
            long_text(need.question, MOST_SHOWN),
            marked("open, and it waits" if need.blocking else "open", "warn")
            if need.answer is None
            else long_text(need.answer, MOST_SHOWN),
            need.id[:8],
        )
        for need in needs
    ]
    headings = ("agent", "generation", "question", "answer", "need")
    yield table(headings, rows, caption="Needs, oldest first", numeric=(1,))
    if can_answer:
        for need in needs:
            if need.answer is None:
                about = f"{need.agent}, generation {need.generation}: {need.question}"
                text = ChangeField("text", shortened(about, MOST_ASKED), is_long=True)
                yield _form(question, "answer", f"Answer {need.agent}", (text,), need=need.id)


def _marks(present: RunSteering) -> Markup:
    if not present.marks:
        return paragraph("You asked nothing of this run so far.")
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
    headings = ("mark", "written (UTC)", "wish", "effect", "where")
    return table(headings, rows, caption="Wishes, oldest first", numeric=(0,))


def _forms(question: Question, present: RunSteering) -> Iterator[str]:
    verb, label = PRIMARY[present.paused]
    yield _form(question, verb, label, ())
    agent = ChangeField("agent", "agent", choices=tuple(a.name for a in question.run().agents))
    either = ChangeField("agent", "agent", choices=("all", *agent.choices))
    generation = ChangeField("generation", "from its generation", kind="number")
    text = ChangeField("text", "your words", is_long=True)
    name = ChangeField("name", "name of the new agent")
    model = ChangeField("model", "its model, if another")
    yield _form(question, "say", "Tell it", (either, text))
    generation_or_none = ChangeField("generation", "generation, none to unpin", kind="number")
    yield _form(question, "pin", "Pin its parent", (agent, generation_or_none))
    yield _form(question, "fork", "Fork a new agent", (agent, generation, name, model))
    limits = (
        ChangeField("calls", "calls at most", kind="number"),
        ChangeField("usd", "US dollars at most", kind="number", step="any"),
        ChangeField("tokens", "tokens at most", kind="number"),
    )
    yield _form(question, "quota", "Set quota", (agent, *limits))
    yield _form(question, "stop-agent", "Stop the agent", (agent,))
    number = ChangeField("generation", "generation, if several are under way", kind="number")
    yield _form(question, "give-up", "Give up its generation", (agent, number))


def _form(
    question: Question, verb: str, label: str, fields: Sequence[ChangeField], **fixed: str
) -> Markup:
    address = question.links.page("api", "runs", question.path["run"], "steer")
    return change_form(address, verb, fields, label, fixed)


VIEW = View("steer", "/runs/{run}/steer", render, label="Steer", of="ours")
