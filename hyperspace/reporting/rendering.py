"""Pages by Jinja2 templates, into which nothing gets but bounded, printable and escaped.

What others wrote is a value of a template and never its source. `{{ text }}` shows it made legible
and escaped, so there is no other way into a page; only what our own templates and plots made is
markup. Templates lie in `templates/` beside the package that they belong to, and are compiled once.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import resources
from typing import Any, Final

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from hyperspace.reporting.legible import MOST_CHARACTERS, legible
from hyperspace.reporting.lines import counted, score, signed

PACKAGE: Final = "hyperspace.reporting"
MOST_IN_A_CELL: Final = 80


class Templates:
    """The templates of some packages; those of this package are always among them.

    Args:
        packages: Names of packages with a folder `templates`; the first that has a name wins.
        filters: What these templates write values with, beside the filters of all.
    """

    def __init__(
        self, *packages: str, filters: Mapping[str, Callable[..., Any]] | None = None
    ) -> None:
        self._packages = (*packages, PACKAGE)
        self._filters = filters or {}

    def render(self, name: str, /, **values: Any) -> str:
        """Return what a template makes of values."""
        return self._environment.get_template(name).render(values, style=_style)

    @cached_property
    def _environment(self) -> Environment:
        environment = Environment(
            autoescape=True,
            undefined=StrictUndefined,
            finalize=_finalize,
            loader=ChoiceLoader([PackageLoader(package) for package in self._packages]),
            auto_reload=False,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.filters.update({**FILTERS, **self._filters})
        return environment


def style() -> str:
    """Return the styles of every page, those of the dashboard too."""
    return resources.files(PACKAGE).joinpath("page.css").read_text("utf-8")


def _style() -> Markup:
    return Markup(style())  # noqa: S704  # ours


def shortened(text: str, most: int = MOST_IN_A_CELL) -> str:
    """Return a text of at most `most` characters, cut in the middle."""
    if len(text) <= most:
        return text
    head = (most - 1) // 2
    return f"{text[:head]}…{text[len(text) - (most - 1 - head) :]}"


def labelled(svg: str, label: str) -> Markup:
    """Return an SVG of ours with what is read aloud of it; its links are read aloud, too."""
    role = "group" if "<a " in svg else "img"
    opened = f'<svg role="{role}" aria-label="{_legible(label)}" '
    return Markup(str(svg).replace("<svg ", opened, 1))  # noqa: S704


def breakable(text: str) -> Markup:
    """Return a name that may break behind a slash or an underscore."""
    return Markup(str(_legible(text)).replace("/", "/<wbr>").replace("_", "_<wbr>"))  # noqa: S704


def _finalize(value: Any) -> Any:
    if type(value) is str:
        return legible(value)
    is_safe = isinstance(value, int | float) or hasattr(value, "__html__")
    return value if is_safe else legible(str(value))


def _legible(text: str, most: int = MOST_CHARACTERS, *, is_exact: bool = True) -> Markup:
    return escape(legible(text, most, is_exact=is_exact))


def _said(text: str, most: int = MOST_CHARACTERS) -> Markup:
    return _legible(text, most, is_exact=False)


def _grouped(number: float) -> str:
    return f"{number:,}"


def _utc(moment: str, letters: int = 19) -> str:
    return moment[:letters].replace("T", " ")


FILTERS: Final[dict[str, Callable[..., Any]]] = {
    "breakable": breakable,
    "counted": counted,
    "grouped": _grouped,
    "labelled": labelled,
    "legible": _legible,
    "said": _said,
    "score": score,
    "shortened": shortened,
    "signed": signed,
    "utc": _utc,
}
"""How templates write values: `legible` bounds a text, `said` also leaves out what a terminal would
obey, `grouped` sets commas between thousands."""
