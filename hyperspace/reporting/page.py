"""Self-contained HTML pages: one file, no script, nothing loaded from anywhere.

Parts are made by functions and put together by `page`. A plain `str` is text, bounded and escaped;
`Markup` is what these functions return and goes in as it is, so text can never become markup::

    page("Arms of imo_grading", section("Scores", paragraph("Best so far."), figure(svg, "...")))
"""

import html
from collections.abc import Iterable, Sequence
from importlib import resources
from typing import Final

from hyperspace.reporting.legible import MOST_CHARACTERS, legible

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


class Markup(str):
    """HTML that is safe to put into a page as it is."""

    __slots__ = ()

    def __html__(self) -> str:
        """Return it: a template writes it out as it is."""
        return self


def escaped(text: str, most: int = MOST_CHARACTERS) -> Markup:
    """Return text as markup: the one way of text into a page.

    Args:
        text: What anybody wrote; markup is returned as it is. What nobody sees, what turns a line
            round and what HTML cannot carry is shown by its code, as in a terminal.
        most: Characters that are shown; how many more there are is said.
    """
    return text if isinstance(text, Markup) else Markup(html.escape(legible(text, most)))


def said(text: str, most: int = MOST_CHARACTERS) -> Markup:
    """Return what a program or a model said, without the codes that a terminal would obey.

    Args:
        text: As it was said.
        most: As for `escaped`.
    """
    if isinstance(text, Markup):
        return text
    return Markup(html.escape(legible(text, most, is_exact=False)))


def breakable(text: str) -> Markup:
    """Return a name that may break behind a slash or an underscore."""
    return Markup(escaped(text).replace("/", "/<wbr>").replace("_", "_<wbr>"))


def page(title: str, *parts: str, lead: str = "") -> str:
    """Return a whole HTML document.

    Args:
        title: Heading and title of the window.
        parts: Sections, or any other part.
        lead: One paragraph below the heading that says what the page is.
    """
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>{escaped(title)}</title>\n<style>\n{style()}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{escaped(title)}</h1>\n{paragraph(lead) if lead else ''}{joined(parts)}"
        "</main>\n</body>\n</html>\n"
    )


def style() -> str:
    """Return the styles of every page, those of the dashboard too."""
    return resources.files("hyperspace.reporting").joinpath("page.css").read_text("utf-8")


def section(title: str, *parts: str) -> Markup:
    """Return a part of a page under its own heading."""
    return Markup(f"<section>\n<h2>{escaped(title)}</h2>\n{joined(parts)}</section>\n")


def joined(parts: Iterable[str]) -> Markup:
    """Return parts one after the other."""
    return Markup("".join(map(escaped, parts)))


def paragraph(*parts: str) -> Markup:
    """Return a paragraph."""
    return Markup(f"<p>{joined(parts)}</p>\n")


def note(*parts: str) -> Markup:
    """Return a paragraph that stands out: something that a reader must not miss."""
    return Markup(f'<p class="note">{joined(parts)}</p>\n')


def bullets(items: Iterable[str]) -> Markup:
    """Return a list of points; empty for none."""
    points = "".join(f"<li>{escaped(item)}</li>\n" for item in items)
    return Markup(f"<ul>\n{points}</ul>\n" if points else "")


def terms(explained: Iterable[tuple[str, str]]) -> Markup:
    """Return terms, each with its explanation."""
    rows = "".join(
        f"<dt>{escaped(term)}</dt><dd>{escaped(text)}</dd>\n" for term, text in explained
    )
    return Markup(f"<dl>\n{rows}</dl>\n")


def preformatted(text: str) -> Markup:
    """Return text with its lines and spaces kept; long ones scroll."""
    return Markup(f'<pre tabindex="0">{escaped(text)}</pre>\n')


def marked(text: str, kind: str) -> Markup:
    """Return a word or a line of text under a CSS class, such as where a line of code came from.

    Args:
        text: What to show.
        kind: `good`, `bad`, `warn`, `weak`, or one of the colours of the figures, `series-0` to
            `series-7`.
    """
    return Markup(f'<span class="{escaped(kind)}">{escaped(text)}</span>')


def folded(title: str, *parts: str) -> Markup:
    """Return parts that show when their title is chosen; needs no script."""
    return Markup(f"<details>\n<summary>{escaped(title)}</summary>\n{joined(parts)}</details>\n")


def table(
    headings: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    caption: str,
    numeric: Iterable[int] = (),
    words: Iterable[int] = (),
) -> Markup:
    """Return a table whose first column names its rows; it scrolls on a narrow screen.

    Args:
        headings: One for each column.
        rows: Cells as text or markup.
        caption: What the table shows; read aloud with it.
        numeric: Columns from 0 that are aligned to the right.
        words: Columns of sentences, which a narrow table leaves room.
    """
    kinds = dict.fromkeys(numeric, "number") | dict.fromkeys(words, "words")
    head = "".join(_cell("th", text, kinds.get(at), "col") for at, text in enumerate(headings))
    body = "".join(
        f"<tr>{_cell('th', row[0], kinds.get(0), 'row')}"
        f"{''.join(_cell('td', text, kinds.get(at)) for at, text in enumerate(row[1:], 1))}</tr>\n"
        for row in rows
    )
    return Markup(
        f'<div class="scroll" role="region" tabindex="0" aria-label="{escaped(caption)}">\n'
        f"<table>\n<caption>{escaped(caption)}</caption>\n"
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n</div>\n"
    )


def figure(svg: str, caption: str) -> Markup:
    """Return a figure with its caption.

    Args:
        svg: An `<svg>` element that our own code made (`figures.to_svg`); it is not escaped.
        caption: What it shows; also what is read aloud in its place.
    """
    label = escaped(caption)
    role = "group" if "<a " in svg else "img"  # within an image links are not told of
    drawn = svg.replace("<svg ", f'<svg role="{role}" aria-label="{label}" ', 1)
    return Markup(
        f'<figure>\n<div class="scroll" tabindex="0" role="region" aria-label="{label}">'
        f"{drawn}</div>\n<figcaption>{label}</figcaption>\n</figure>\n"
    )


def _cell(tag: str, text: str, kind: str | None, scope: str = "") -> str:
    look = f' class="{kind}"' if kind else ""
    spans = f' scope="{scope}"' if scope else ""
    return f"<{tag}{look}{spans}>{escaped(text)}</{tag}>"
