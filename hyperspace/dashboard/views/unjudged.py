"""What is told of the adoptions of a run that is too long to be judged while a page is opened."""

import shlex
from collections.abc import Iterator

from hyperspace.dashboard.pages.addresses import generation_page
from hyperspace.dashboard.pages.parts import link
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.results.arrows import LEARN_S
from hyperspace.reporting.lines import counted, score
from hyperspace.reporting.page import Markup, note, paragraph, preformatted, table
from hyperspace.runs.records import Run

MOST_EVENTS = 100


def how_to_judge(run: Run) -> Iterator[Markup]:
    """Say how long a run is, and which command judges it."""
    count = counted(sum(len(agent.generations) for agent in run.agents), "generation")
    yield note(f"This run has {count}, too many to be judged while a page is opened. This does it:")
    yield preformatted(f"hyperspace analyze {shlex.quote(run.source)} --html adoptions.html")


def followed_adoptions(question: Question) -> Iterator[Markup]:
    """Show the events of a run that recorded none, as far as it was followed here."""
    arrows = question.followed().learn_arrows(LEARN_S)
    more = "" if arrows.is_complete else ", and not all of it is judged: open this page again"
    yield paragraph(f"It recorded no events. As it was followed here, it has these{more}.")
    rows = [
        (
            _generation(question, arrow.agent, arrow.generation),
            _generation(question, arrow.peer, arrow.peer_generation),
            f"{arrow.ratio:.3f}",
            score(arrow.before),
            score(arrow.after),
            str(arrow.peer_lines),
        )
        for arrow in arrows.known[-MOST_EVENTS:]
    ]
    headings = ("who", "from", "ratio", "val before", "after", "lines")
    caption = f"The last {len(rows)} of {counted(len(arrows.known), 'event')}"
    yield table(headings, rows, caption=caption, numeric=range(2, 6))


def _generation(question: Question, agent: str, number: int) -> Markup:
    return link(f"{agent} gen {number}", generation_page(question, agent, number))
