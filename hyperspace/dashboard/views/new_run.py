"""A form for each kind of run that a page starts."""

from collections.abc import Iterator
from typing import Final

from hyperspace.dashboard.pages.forms import ChangeField, post_form
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.starting.request import Launch, RunRequest, allowed
from hyperspace.dashboard.view import PageContent, View, glued
from hyperspace.kernel.state.options.option import Declared
from hyperspace.reporting.page import folded, paragraph, section, table
from hyperspace.tasks.registry import names

TITLES: Final[dict[Launch, str]] = {
    "pair": "A pair: two agents, each improving its own code",
    "solo": "One agent alone: an arm of the solo loop",
    "fleet": "A fleet: any number of agents",
}
MODELS: Final[dict[Launch, str]] = {
    "pair": "offline/tinker offline/magpie",
    "solo": "offline/tinker",
    "fleet": "offline/tinker offline/magpie offline/tinker",
}
LABELS: Final[dict[Launch, str]] = {
    "pair": "two models, a space between",
    "solo": "model",
    "fleet": "models, spaces between",
}


def render(question: Question) -> PageContent:
    """Show the forms."""
    lead = "A run starts as the command line would start it, and goes on without this page."
    if not question.can_steer:
        told = "Runs are started here where the dashboard was started with --steer."
        return glued("New run", (paragraph(told),), lead=lead)
    rows = [(name, about) for name, about in sorted(names().items())]
    tasks = table(("domain", "about"), rows, caption="Domains that are installed")
    parts = (
        paragraph(
            "Offline models cost nothing. Models of providers need their key in the environment "
            "that the dashboard was started in, and a limit on money."
        ),
        folded("Domains", tasks),
        *(section(title, *_form(question, command)) for command, title in TITLES.items()),
    )
    return glued("New run", parts, ("actions.js",), lead)


def _form(question: Question, command: Launch) -> Iterator[str]:
    usual = RunRequest(command, ())
    fields = [
        ChangeField("models", LABELS[command], value=MODELS[command], is_list=True),
        ChangeField("domain", "domain", value=usual.domain),
        ChangeField("generations", "generations", "number", value=str(usual.generations)),
        ChangeField("seed", "seed", "number", value=str(usual.seed)),
        ChangeField("max_usd", "US dollars at most", "number", step="any"),
    ]
    if command == "fleet":
        fields.insert(0, ChangeField("name", "name", value=usual.name))
    options = [_option(name, option) for name, option in allowed(command).items()]
    yield post_form(
        question.links.page("api", "run"),
        fields,
        "Start",
        {"command": command},
        more=options,
        forecast=question.links.page("api", "run", "forecast"),
    )


def _option(name: str, declaration: Declared) -> ChangeField:
    option = declaration.option
    is_switch = option.kind == "switch"
    choices = ("", *option.choices) if option.choices else ()
    return ChangeField(
        f"options.{name}",
        f"{name}: {option.help}",
        "checkbox" if is_switch else "text",
        choices=choices,
        is_list=option.kind == "repeated",
    )


VIEW = View("new", "/new", render, in_bundle=False)
