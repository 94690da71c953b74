"""Small facts side by side: a name above, its value below."""

from collections.abc import Iterable

from reporting.page import Markup, escaped


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
