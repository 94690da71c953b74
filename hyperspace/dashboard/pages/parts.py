"""Small parts of pages: they take text, escape it by `hyperspace.reporting.page`, give markup."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from hyperspace.reporting.page import Markup, breakable, escaped, said

MOST_IN_A_CELL: Final = 80


def link(text: str, address: str) -> Markup:
    """Return a link to a page of ours; a long text is cut in the middle and whole on hover."""
    return Markup(f'<a href="{escaped(address)}"{_whole(text)}>{escaped(shortened(text))}</a>')


def choice(text: str, address: str, *, is_chosen: bool) -> Markup:
    """Return one of several links; the one that is shown stands out, and leads nowhere."""
    shown = f'<strong aria-current="true">{escaped(shortened(text))}</strong>'
    return Markup(shown) if is_chosen else link(text, address)


def named(text: str, most: int = MOST_IN_A_CELL) -> Markup:
    """Return a name of any length: cut in the middle beyond `most`, whole on hover."""
    return Markup(f"<span{_whole(text, most)}>{escaped(shortened(text, most))}</span>")


def path_name(text: str) -> Markup:
    """Return a name with slashes, as `named`; where there is little room it breaks behind them."""
    return Markup(f"<span{_whole(text)}>{breakable(shortened(text))}</span>")


def run_link(name: str, address: str) -> Markup:
    """Return a link to a run or a folder of runs; its name breaks between its parts."""
    title = escaped(name[:2000])
    return Markup(f'<a href="{escaped(address)}" title="{title}">{breakable(shortened(name))}</a>')


def numbered_names(names: Iterable[str]) -> str:
    """Return names, each once, with how often it stands there: `8 of offline/tinker`."""
    counts = Counter(names)
    return ", ".join(f"{count} of {name}" if count > 1 else name for name, count in counts.items())


def long_text(text: str, most: int) -> Markup:
    """Return what a program or a model said, as a cell that a narrow table leaves room."""
    return Markup(f'<div class="long">{said(text, most)}</div>')


def commands(lines: Iterable[str]) -> Markup:
    """Return command lines as a list; a script puts a button beside each that copies it."""
    items = "".join(f'<li><code class="command">{escaped(line)}</code></li>\n' for line in lines)
    return Markup(f'<ul class="commands">\n{items}</ul>\n')


def beside(first: Markup, second: Markup) -> Markup:
    """Return two parts next to each other; below each other where there is no room."""
    return Markup(f'<div class="beside">\n<div>{first}</div>\n<div>{second}</div>\n</div>\n')


def shortened(text: str, most: int = MOST_IN_A_CELL) -> str:
    """Return a text of at most `most` characters, cut in the middle."""
    if len(text) <= most:
        return text
    head = (most - 1) // 2
    return f"{text[:head]}…{text[len(text) - (most - 1 - head) :]}"


def _whole(text: str, most: int = MOST_IN_A_CELL) -> str:
    return f' title="{escaped(text[:2000])}"' if len(text) > most else ""
