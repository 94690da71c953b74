"""Live review: an agent of a run gets an input by hand; the numbers that its code carries."""

from collections.abc import Iterator
from typing import Final

import msgspec

from guards.sandboxes.sandbox import SandboxError
from hyperspace.dashboard.errors import BadQuery
from hyperspace.dashboard.pages.parts import link, named
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.view import PageContent, View, glued
from hyperspace.kernel.errors import RunUsageError
from hyperspace.launch.review import confining_sandbox, example_inputs, review_model
from hyperspace.reporting.lines import score
from hyperspace.reporting.page import (
    Markup,
    escaped,
    folded,
    joined,
    note,
    paragraph,
    section,
    table,
)
from hyperspace.runs.files import TASK
from hyperspace.runs.records import Generation, Run, RunAgent
from hyperspace.runs.weights import NamedNumbers, numbers_in
from hyperspace.tasks.base import DomainError

FEW: Final = 12  # numbers that are shown at once


def render(question: Question) -> PageContent:
    """Show who can be asked, the form, and what the code consists of."""
    run = question.run()
    agent = _agent(question, run)
    turn = None if agent is None else _turn(question, agent)
    if agent is None or turn is None:
        return glued("Live review", ("No generation of this run was ever scored.",))
    lead = "Give an agent an input by hand, and see its answer."
    asking = section(
        f"Ask {agent.name} of generation {turn.generation}", *_form(question, run, agent)
    )
    parts = (_agents(question, run), asking, *_weights(turn))
    return glued("Live review", parts, ("review.js",), lead)


def _agent(question: Question, run: Run) -> RunAgent | None:
    """Return the agent that is named, else the best one."""
    name = question.text("agent")
    if not name:
        return run.best_agent
    try:
        return run.agent(name)
    except KeyError:
        raise BadQuery(f"this run has no agent {name[:80]!r}") from None


def _turn(question: Question, agent: RunAgent) -> Generation | None:
    if not question.query.get("generation"):
        return agent.best
    number = question.whole("generation", 0)
    turn = agent.turn(number)
    if turn is None:
        raise BadQuery(f"{agent.name} has no generation {number}")
    return turn


def _agents(question: Question, run: Run) -> Markup:
    rows = [
        (
            link(
                agent.name or "-",
                question.links.page("runs", question.path["run"], "review", agent=agent.name),
            ),
            named(agent.model),
            "-" if agent.best is None else str(agent.best.generation),
            score(agent.best_val),
            score(agent.test),
        )
        for agent in run.agents
    ]
    headings = ("agent", "model", "best generation", "validation", "test")
    return table(headings, rows, caption="Who can be asked", numeric=(2, 3, 4))


def _form(question: Question, run: Run, agent: RunAgent) -> Iterator[str]:
    """Return the form, or why there is none."""
    if not question.can_steer:
        yield note(
            "An agent's code runs only where the dashboard was started with --steer: "
            "hyperspace dashboard RESULTS --steer"
        )
        return
    try:
        sandbox, model = confining_sandbox(), review_model(question.place.folder, agent.name)
    except (SandboxError, RunUsageError) as error:
        yield note(f"It cannot be asked: {error}.")
        return
    example, why = _example(question)
    yield paragraph(f"Its code runs in sandbox {sandbox.name}, for two minutes at most. {why}")
    price = "which costs nothing"
    if not model.is_offline:
        price = "whose price nobody knows, so it is not asked"
        if model.price is not None:
            price = (
                f"at ${model.price.input:g} and ${model.price.output:g} a million tokens sent and "
                f"received, at most ${model.most_usd:g} in all"
            )
    is_offered = model.is_offline or model.price is not None
    box = '<input type="checkbox" name="ask_model">' if is_offered else ""
    path = escaped(question.links.page("api", "runs", question.path["run"], "review"))
    generation = escaped(question.query.get("generation", ""))
    yield Markup(
        f'<form id="review" class="review" action="{path}" data-agent="{escaped(agent.name)}" '
        f'data-generation="{generation}">\n'
        f'<label>Input, as JSON<textarea name="inputs" rows="10" spellcheck="false">'
        f"{escaped(example)}</textarea></label>\n"
        f"<label>{box} let it ask its model {escaped(model.name)}, {escaped(price)}</label>\n"
        "<button>Ask</button>\n"
        '<output class="answer" aria-live="polite"></output></form>\n'
    )


def _example(question: Question) -> tuple[str, str]:
    """Return an input to begin with, and why there is none, as a sentence."""
    try:
        inputs = example_inputs(question.place.folder)
    except (RunUsageError, DomainError) as error:
        return "{}", f"There is no example of an input: {error}."
    return msgspec.json.format(msgspec.json.encode(inputs), indent=2).decode(), ""


def _weights(turn: Generation) -> Iterator[str]:
    numbers = numbers_in(turn.task.read() or "")
    if not numbers:
        return
    headings = ("name", "line", "numbers", "values")
    rows = [(named(row.name), str(row.line), str(row.count), _values(row)) for row in numbers]
    caption = f"Numbers that {TASK} names; the code is read, not run"
    yield section("Weights", table(headings, rows, caption=caption, numeric=(1, 2)))


def _values(row: NamedNumbers) -> Markup:
    told = [f"{each.where} {each.value:g}".strip() for each in row.numbers]
    few = "; ".join(told[:FEW])
    if len(told) <= FEW:
        return escaped(few)
    more = "" if row.count == len(told) else f", {row.count - len(told)} more"
    return joined((f"{few}; ", folded(f"all {len(told)}{more}", "; ".join(told))))


VIEW = View("review", "/runs/{run}/review", render, label="Live review")
