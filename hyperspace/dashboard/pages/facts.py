"""Small facts side by side, and the parts of a long page with links to them."""

from collections.abc import Iterable, Sequence

from hyperspace.reporting.page import Markup, escaped, paragraph, section


def facts(rows: Iterable[tuple[str, str]]) -> Markup:
    """Return facts as a row that wraps; those without a value are left out."""
    cells = "".join(
        f"<div><dt>{escaped(name)}</dt><dd>{escaped(value)}</dd></div>\n"
        for name, value in rows
        if value
    )
    return Markup(f'<dl class="facts">\n{cells}</dl>\n') if cells else Markup("")


def separated(parts: Iterable[str], between: str = " · ") -> Markup:
    """Return parts with something between them."""
    return Markup(escaped(between).join(escaped(part) for part in parts))


class PagePart:
    """A part of a page that links can name.

    Args:
        name: Its id.
        title: Its heading.
        parts: What stands below.
    """

    def __init__(self, name: str, title: str, *parts: str) -> None:
        self.name = name
        self.title = title
        self._parts = parts

    def shown(self) -> Markup:
        """Return it as markup."""
        inside = section(self.title, *self._parts)
        return Markup(f'<div id="{escaped(self.name)}">{inside}</div>\n')


def contents(parts: Sequence[PagePart]) -> Markup:
    """Return links to the parts of a page."""
    links = [Markup(f'<a href="#{escaped(part.name)}">{escaped(part.title)}</a>') for part in parts]
    return paragraph("On this page: ", separated(links)) if len(parts) > 1 else Markup("")
