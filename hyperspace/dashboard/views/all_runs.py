"""All runs below the results folder: a table to sort, filter and choose from."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from hyperspace.dashboard.api.runs import PAGE, ListedRun, RunList, listed
from hyperspace.dashboard.pages.parts import commands, link, named, numbered_names, run_link
from hyperspace.dashboard.pages.run_cells import (
    KINDS,
    STATES,
    next_command,
    progress_text,
    state_text,
)
from hyperspace.dashboard.pages.run_svg import spark_svg
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.view import PageContent, View, glued
from hyperspace.reporting.lines import counted, score
from hyperspace.reporting.page import Markup, escaped, folded, joined, note, paragraph, table
from hyperspace.runs.trash import TRASH

HEADINGS: Final = (
    *("run", "state", "generations", "best val", "test", "curve", "adoptions", "refused"),
    *("spent", "calls", "begun (UTC)", "domain", "models"),
)
NUMERIC: Final = (2, 3, 4, 6, 7, 8, 9)
MOST_COMMANDS: Final = 20
MOST_WORDS: Final = 48  # characters of a domain, and of models


def render(question: Question) -> PageContent:
    """Show a page of runs."""
    runs = listed(question)
    search = question.text("search")
    newest = link("newest first", question.links.page(order="newest", search=search))
    parts = [
        Markup(
            f'<form class="search" action="{escaped(question.links.page())}">'
            f'<input type="search" name="search" value="{escaped(search)}" '
            'aria-label="search by name" placeholder="part of a name"> '
            f"<button>Search</button> {newest} {_doors(question)}</form>\n"
        ),
    ]
    if runs.total:
        parts += _table(question, runs)
    else:
        parts.append(note(_nothing(question)))
    scripts = ("actions.js",) if question.can_steer else ()
    return glued("Runs", tuple(parts), scripts, wide=True)


def _doors(question: Question) -> Markup:
    """Return links to more pages; there is no trash folder before something was put there."""
    has_trash = (question.sources.tree.results / TRASH).is_dir()
    links = [link("New run", question.links.page("new"))] * question.can_steer
    links += [link("Trash", question.links.page("trash"))] * has_trash
    return joined(each for door in links for each in (door, " "))


def _nothing(question: Question) -> str:
    results = question.sources.tree.results
    if question.text("search"):
        return "No run here has this in its name."
    if not results.is_dir():
        return (
            f"{results} is no folder that can be read; start the dashboard with a results folder."
        )
    return f"There is no run below {results} yet; this page shows them as soon as there are."


def _table(question: Question, runs: RunList) -> Iterator[Markup]:
    rows = [_row(question, run) for run in runs.runs]
    many = counted(runs.total, "run")
    shown = f"{runs.first + 1} to {runs.first + len(rows)} of {many}"
    yield Markup(f'<form id="choose" action="{escaped(question.links.page("compare"))}">\n')
    states = Counter(run.overview.state for run in runs.runs)
    by_state = ", ".join(f"{states[state]} {state}" for state in STATES if states[state])
    yield paragraph(f"{by_state}.")
    caption = many if len(rows) == runs.total else shown
    yield table(HEADINGS, rows, caption=caption, numeric=NUMERIC)
    away = ""
    if question.can_steer:
        away = (
            ' <button type="button" id="away">Move the chosen runs to the trash folder</button>'
            ' <output id="moved" aria-live="polite"></output>'
        )
    yield Markup(f"<button>Compare the chosen runs</button>{away}\n</form>\n")
    yield from _pages(question, runs)
    yield _commands(question, runs.runs)


def _row(question: Question, run: ListedRun) -> Sequence[str]:
    seen = run.overview
    label = f"choose {escaped(run.name)}"
    box = Markup(f'<input type="checkbox" name="runs" value="{run.id}" aria-label="{label}">')
    told = [f"{counted(seen.needs, 'question')} to you"] if seen.needs else []
    told += [seen.why] if seen.why and seen.state != "playing" else []
    why = f'<span class="why">{escaped("; ".join(told))}</span>' if told else ""
    title = escaped(state_text(seen)[:2000])
    name = run_link(run.name, question.links.page("runs", run.id))
    state = f'<span class="{KINDS.get(seen.state, "")}">{seen.state}</span>'
    spent = seen.spent
    return (
        Markup(f'<span class="choice">{box}{name}</span>'),
        Markup(f'<div class="standing" title="{title}">{state}{why}</div>'),
        progress_text(seen),
        score(seen.best_val),
        score(seen.test),
        spark_svg(seen.spark),
        _count(seen.adoptions),
        _count(seen.refused),
        "-" if spent is None or spent.usd is None else f"${spent.usd:,.2f}",
        "-" if spent is None else f"{spent.calls:,}",
        seen.started_utc[:16].replace("T", " ") or "-",
        named(seen.domain or "-", MOST_WORDS),
        named(numbered_names(seen.models) or "-", MOST_WORDS),
    )


def _count(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _pages(question: Question, runs: RunList) -> Iterator[Markup]:
    query = {name: question.query[name] for name in ("search", "order") if name in question.query}
    steps = (("previous", runs.first - PAGE), ("next", runs.first + PAGE))
    links = [
        link(label, question.links.page(**query, first=max(first, 0)))
        for label, first in steps
        if -PAGE < first < runs.total and first != runs.first
    ]
    if links:
        yield paragraph(joined(each for pair in links for each in (pair, " ")))


def _commands(question: Question, runs: Sequence[ListedRun]) -> Markup:
    """Return what goes on with runs that are not finished, and what packs the others."""
    folders = {place.id: place.folder for place in question.sources.tree.places()}
    first = [run for run in runs[:MOST_COMMANDS] if run.id in folders]
    lines = [next_command(folders[run.id], run.overview) for run in first]
    shown = commands(filter(None, lines))
    title = "Commands that go on with these runs, or pack them"
    return folded(title, shown) if any(lines) else Markup("")


VIEW = View("runs", "/", render)
