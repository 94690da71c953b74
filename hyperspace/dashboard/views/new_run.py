"""A form for each kind of run that a page starts."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from hyperspace.dashboard.question import Question
from hyperspace.dashboard.starting.request import Launch, RunRequest, allowed
from hyperspace.dashboard.view import PageContent, View
from hyperspace.options.option import Option
from hyperspace.tasks.registry import names


class RunForm(NamedTuple):
    """A form that starts a run.

    Attributes:
        title: Its heading.
        label: What stands beside its models.
        models: What stands in there.
        usual: What stands in the other fields.
        options: Of the command, by name.
    """

    title: str
    label: str
    models: str
    usual: RunRequest
    options: Mapping[str, Option]


FORMS: Final[dict[Launch, tuple[str, str, str]]] = {
    "pair": (
        "A pair: two agents, each improving its own code",
        "two models, a space between",
        "offline/tinker offline/magpie",
    ),
    "solo": ("One agent alone: an arm of the solo loop", "model", "offline/tinker"),
    "fleet": (
        "A fleet: any number of agents",
        "models, spaces between",
        "offline/tinker offline/magpie offline/tinker",
    ),
}


def render(question: Question) -> PageContent:
    """Show the forms."""
    if not question.can_steer:
        return PageContent("New run", "new_run.html", {})
    forms = [
        RunForm(
            *texts,
            RunRequest(command, ()),
            {name: each.option for name, each in allowed(command).items()},
        )
        for command, texts in FORMS.items()
    ]
    values = {"domains": sorted(names().items()), "forms": forms}
    return PageContent("New run", "new_run.html", values)


VIEW = View("new", "/new", render, in_bundle=False)
