"""Texts of a run's page that change while it is played: made once for the page and what is live."""

import shlex
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from hyperspace.dashboard.links import Links
from hyperspace.dashboard.results.followed import FollowedRun, Present
from hyperspace.launch.growing_replies import GrowingReply, growing_replies
from hyperspace.reporting.legible import legible
from hyperspace.reporting.lines import counted, score
from hyperspace.runs.following.money import RunMoney
from hyperspace.runs.following.overview import BY_PRINCIPAL, RunOverview, RunState
from hyperspace.runs.following.scores import VALID, ScoreColumns, number_at
from hyperspace.runs.spaces.listing import printable
from hyperspace.spending.budget import SpendingTotal

MOST_IN_FLIGHT = 3
VERBS = {"paused": "resume", "stopped": "resume", "finished": "export"}
ROUGH_S = 600.0  # from here on, what is left is told in whole minutes
LEAST_WORKED_S = 30.0  # before, a run's pace says nothing: work is on record every 15 s
STATES = {
    "playing": "playing",
    "waiting": "waits for you",
    "paused": "paused",
    "stopped": "stopped",
    "finished": "finished",
    "published": "published",
    "damaged": "cannot be read",
}
KINDS = {  # CSS classes
    "playing": "good",
    "waiting": "warn",
    "paused": "warn",
    "stopped": "warn",
    "damaged": "bad",
}


class Cell(NamedTuple):
    """A text at one place of the page.

    Attributes:
        text: What stands there.
        address: Where it leads; empty for nowhere.
    """

    text: str
    address: str = ""


def cells_of(run: FollowedRun, present: Present, run_id: str, links: Links) -> dict[str, Cell]:
    """Return the text of each place by its id."""
    money = run.money
    adoptions = f"{len(run.arrows.known)}"
    if not run.arrows.is_complete:
        adoptions += " so far, still looking"
    cells = {
        "state": Cell("; ".join((state_text(present.overview), *present.nothing))),
        "progress": Cell(progress_text(present.overview)),
        "left": Cell(left_text(present.overview, money.state.worked_s)),
        "best": best_cell(present, run_id, links),
        "needs": needs_cell(present.overview, links.page("runs", run_id, "steer")),
        "spent": Cell(spent_text(money)),
        "flight": Cell(flight_text(money, growing_replies(run.folder.root))),
        "adoptions": Cell(run.arrows.problem or adoptions),
        "refused": Cell(f"{run.refusals.total:,}"),
    }
    totals = money.state.by_agent()
    adopted = Counter(arrow.agent for arrow in run.arrows.known)
    members = dict(zip(present.config.agents, present.config.together.members, strict=True))
    for at, (name, columns) in enumerate(present.columns.items()):
        total = totals.get(name) or SpendingTotal()
        refused = run.refusals.counts.get(name)
        scores = _scores_of(name, columns, members[name].generations, run_id)
        counts = adopted[name], 0.0 if refused is None else refused.total, total.calls, total.tokens
        cells.update(_row_cells(f"a{at}", scores, counts, usd_text(total), links))
    return cells


class _Scores(NamedTuple):
    last: int
    planned: int | None
    best: int | None
    val: float | None
    best_val: float | None
    test: float | None
    is_valid: bool
    generations: tuple[str, ...]


def _scores_of(name: str, columns: ScoreColumns, planned: int | None, run_id: str) -> _Scores:
    last = len(columns) - 1
    return _Scores(
        last,
        planned,
        columns.best_generation,
        number_at(columns.val, last),
        columns.best_val,
        columns.test,
        last < 0 or bool(columns.flags[last] & VALID),
        ("runs", run_id, "agents", name, "generations"),
    )


def agent_cells(
    name: str, columns: ScoreColumns, planned: int | None, run_id: str, links: Links
) -> dict[str, Cell]:
    """Return what an agent's row says of its scores."""
    return _score_cells(_scores_of(name, columns, planned, run_id), links)


@lru_cache(maxsize=4096)  # of most agents nothing is new when a page asks again
def _row_cells(
    place: str, scores: _Scores, counts: tuple[int, float, int, int], usd: str, links: Links
) -> tuple[tuple[str, Cell], ...]:
    adopted, refused, calls, tokens = counts
    cells = _score_cells(scores, links) | {
        "adopted": Cell(str(adopted)),
        "refused": Cell(f"{refused:g}"),
        "calls": Cell(f"{calls:,}"),
        "tokens": Cell(f"{tokens:,}"),
        "usd": Cell(usd),
    }
    return tuple((f"{place}-{key}", cell) for key, cell in cells.items())


def _score_cells(scores: _Scores, links: Links) -> dict[str, Cell]:
    last, planned, best = scores.last, scores.planned, scores.best
    if last < 0:
        closed = Cell("none yet")
    else:
        text = f"{last}" if planned is None else f"{last} of {planned}"
        closed = Cell(text, links.page(*scores.generations, last))
    at = Cell("-") if best is None else Cell(f"{best}", links.page(*scores.generations, best))
    return {
        "closed": closed,
        "val": Cell(score(scores.val) if scores.is_valid else "not valid"),
        "best": Cell(score(scores.best_val)),
        "at": at,
        "test": Cell(score(scores.test)),
    }


def kind_of(state: RunState) -> str:
    """Return the class of the colour of a state."""
    return KINDS.get(state, "")


def numbered_names(names: Iterable[str]) -> str:
    """Return names, each once, with how often it stands there: `8 of offline/tinker`."""
    counts = Counter(names)
    return ", ".join(f"{count} of {name}" if count > 1 else name for name, count in counts.items())


def state_text(overview: RunOverview) -> str:
    """Return whether a run is worked on, with who does it or why nobody does."""
    state = STATES[overview.state]
    text = f"{state}: {overview.why}" if overview.why else state
    is_stopped = overview.state == "stopped"
    return f"{text}; the same command, or hyperspace resume, goes on" if is_stopped else text


def progress_text(overview: RunOverview) -> str:
    """Return how many generations are closed, of all agents together."""
    closed, planned = f"{overview.closed:,}", overview.planned
    return closed if planned is None else f"{closed} of {planned:,}"


def left_text(overview: RunOverview, worked_s: float) -> str:
    """Return how long a run still takes if generations go on taking what they took."""
    if overview.state == "finished":
        return "nothing is left"
    if overview.planned is not None and overview.closed >= overview.planned:
        return "the final test"
    if not overview.closed or overview.planned is None or worked_s < LEAST_WORKED_S:
        return "not known yet"
    left_s = worked_s / overview.closed * (overview.planned - overview.closed)
    if left_s >= ROUGH_S:
        left_s = 60 * round(left_s / 60)
    return f"about {duration_text(left_s)} of work at this rate"


def best_cell(present: Present, run_id: str, links: Links) -> Cell:
    """Return the best validation score of all agents, whose it is, and its test score."""
    name = max(present.columns, key=lambda each: present.columns[each].best_fitness)
    best = present.columns[name]
    if best.best_generation is None:
        return Cell("none yet")
    test = "" if best.test is None else f", test {score(best.test)}"
    whose = printable(f"{name} gen {best.best_generation}", 200)
    address = links.page("runs", run_id, "agents", name, "generations", best.best_generation)
    return Cell(f"{score(best.best_val)} ({whose}{test})", address)


def needs_cell(overview: RunOverview, address: str) -> Cell:
    """Return how many questions of agents nobody has answered, and where they are."""
    return Cell(f"{overview.needs} open", address) if overview.needs else Cell("none open")


def spent_text(money: RunMoney) -> str:
    """Return what a run took, and the time that was worked on it."""
    total = money.state.spent
    share = money.read_share
    if share < 1:
        return f"{total.calls:,} calls in the first {share:.0%} of the ledger, still reading"
    worked_s = money.state.worked_s  # on record every 15 s
    worked = f", {duration_text(worked_s)} of work" if worked_s >= 1 else ""
    return f"{counted(total.calls, 'call')}, {total.tokens:,} tokens, {usd_text(total)}{worked}"


def flight_text(money: RunMoney, growing: tuple[GrowingReply, ...] = ()) -> str:
    """Return which calls wait for an answer, and how long the answers are so far."""
    calls = money.in_flight
    if not calls:
        return "no call"
    latest = [f"{call.agent} gen {call.generation} {call.purpose}" for call in calls]
    names = printable(", ".join(latest[-MOST_IN_FLIGHT:]), 200)
    more = f" and {len(calls) - MOST_IN_FLIGHT} more" if len(calls) > MOST_IN_FLIGHT else ""
    written = "".join(f"; {printable(reply.text, 200)}" for reply in growing[:MOST_IN_FLIGHT])
    return f"{counted(len(calls), 'call')}: {names}{more}{written}"


def next_command(folder: Path, overview: RunOverview) -> str:
    """Return the command that goes on with a run, or packs one that is finished.

    Empty where there is none, and where the folder's name could not be copied as it is shown.
    """
    verb, path = VERBS.get(overview.state), str(folder)
    if verb is None or legible(path) != path or "\n" in path:
        return ""
    run = shlex.quote(path)
    command = f"hyperspace {verb} {run}"
    is_by_principal = overview.state == "paused" and overview.why == BY_PRINCIPAL
    return f"hyperspace steer {run} resume && {command}" if is_by_principal else command


def usd_text(total: SpendingTotal) -> str:
    """Return money; what has no known price is said."""
    unknown = f" and {counted(total.unpriced, 'call')} of unknown price" if total.unpriced else ""
    return f"${total.cost_usd:,.2f}{unknown}"


def duration_text(seconds: float) -> str:
    """Return a time as a person says it."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    if not minutes:
        return f"{rest} s"
    return f"{minutes} min {rest:02} s" if rest else f"{minutes} min"
