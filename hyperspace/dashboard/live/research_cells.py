"""Texts of a research run's page that change while it is played."""

from collections import Counter
from typing import Final

from hyperspace.dashboard.links import Links
from hyperspace.dashboard.pages.run_cells import Cell, flight_text, spent_text, state_text
from hyperspace.dashboard.results.followed_research import FollowedResearch, ResearchStanding
from hyperspace.reporting.legible import without_terminal_codes
from hyperspace.research.loop.under_way import UnderWay

LINES_SHOWN: Final = 8  # of each log
STATES: Final = {
    "asked": "its model is asked",
    "queued": "its job is queued",
    "running": "its job runs",
}


def cells_of_research(
    run: FollowedResearch, standing: ResearchStanding, run_id: str, links: Links
) -> dict[str, Cell]:
    """Return the text of each place by its id."""
    overview, config = standing.overview, standing.record.configuration
    counts = Counter(idea.state for number, idea in standing.ideas.items() if number)
    counts.update(idea.state for idea in standing.under_way if idea.number)
    by_state = [f"{count:,} {state}" for state, count in sorted(counts.items())]
    best, whose = Cell("none yet"), "the repository as it is"
    if standing.ranked:
        number = standing.ranked[0].number
        whose = f"idea {number}" if number else whose
        address = links.page("runs", run_id, "ideas", number)
        best = Cell(f"{standing.ranked[0].score} ({whose})", address)
    return {
        "state": Cell(state_text(overview)),
        "best": best,
        "baseline": Cell("none yet" if 0 not in standing.ideas else f"{standing.ideas[0].score}"),
        "held_out": Cell(_held_out(standing)),
        "progress": Cell(f"{overview.closed:,} of {overview.planned or 0:,}"),
        "epoch": Cell(f"{standing.epoch} of 0 to {config.epochs - 1}"),
        "states": Cell(", ".join(by_state) or "none"),
        "spent": Cell(spent_text(run.money)),
        "flight": Cell(flight_text(run.money)),
        "now": Cell("\n".join(map(under_way_text, standing.under_way)) or "nothing"),
    }


def _held_out(standing: ResearchStanding) -> str:
    result = standing.held_out
    if result is None:
        return "at the end" if standing.record.has_held_out else "nothing is"
    if result.idea == 0:
        return f"{result.baseline} as it is"
    return f"{result.score} (idea {result.idea}), {result.baseline} as it is"


def under_way_text(idea: UnderWay) -> str:
    """Return an idea that is under way with the end of its job's log, which nobody believes."""
    what = f"idea {idea.number}" if idea.number else "the repository as it is"
    told = STATES.get(idea.state, "")
    lines = [f"{what}: {told} since {idea.since_utc[11:19]} UTC"]
    lines += (f"    | {without_terminal_codes(line)}" for line in idea.tail[-LINES_SHOWN:])
    return "\n".join(" ".join(line.splitlines()) or line for line in lines)
