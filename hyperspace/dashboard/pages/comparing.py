"""Forms and links that choose what is compared, and which file."""

from collections.abc import Callable, Iterable, Sequence

from hyperspace.dashboard.pages.addresses import generation_page
from hyperspace.dashboard.pages.facts import separated
from hyperspace.dashboard.pages.forms import FormField, asking_form
from hyperspace.dashboard.pages.parts import choice
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.reading.compared import CodeVersion
from hyperspace.reporting.page import Markup, paragraph


def against_form(question: Question, here: CodeVersion, other: CodeVersion, file: str) -> Markup:
    """Return a form that compares a generation with any other of the run."""
    action = generation_page(question, here.agent.name, here.turn.generation)
    return _form(question, action, file, (("against", "compare with", other.name),))


def versions_form(question: Question, action: str, names: tuple[str, str], file: str) -> Markup:
    """Return a form that takes two generations."""
    fields = (("a", "before", names[0]), ("b", "after", names[1]))
    return _form(question, action, file, fields)


def _form(
    question: Question, action: str, file: str, fields: Iterable[tuple[str, str, str]]
) -> Markup:
    """Return a form whose fields take a generation each: name, label, value."""
    agents = tuple(f"{agent.name}:" for agent in question.run().agents if agent.name)
    drawn = [
        FormField(name, label, value, "text", pattern=".+:[0-9]+", hint="AGENT:N", choices=agents)
        for name, label, value in fields
    ]
    kept = [FormField("file", "", file, "hidden")] if file else []
    return asking_form(action, [*kept, *drawn], "show")


def file_links(files: Sequence[str], chosen: str, address: Callable[[str], str]) -> Markup:
    """Return links to the files of some code; nothing where there is one."""
    if len(files) < 2:
        return Markup("")
    links = [choice(file, address(file), is_chosen=file == chosen) for file in files]
    return paragraph("Files: ", separated(links))
