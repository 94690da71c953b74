"""The archives of a run's agents, as JSON."""

import msgspec

from hyperspace.dashboard.api.endpoint import ApiEndpoint
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.reading.judged import archives
from hyperspace.runs.archives import AgentArchive

MOST_ROWS = 2_000


class ArchiveAnswer(msgspec.Struct, frozen=True):
    """Generations of a run's agents with their parents and scores.

    Attributes:
        agents: The archive of each, with the generations that were asked for.
        first: First generation that was asked for.
        newest: The newest generation of all agents; -1 before the first.
    """

    agents: tuple[AgentArchive, ...]
    first: int
    newest: int


def answer(question: Question) -> ArchiveAnswer:
    """Read the archives of a run."""
    every = archives(question)
    first, count = question.whole("from", 0), question.whole("count", 1_000, MOST_ROWS)
    shown = tuple(
        msgspec.structs.replace(
            each, rows=tuple(r for r in each.rows if first <= r.generation < first + count)
        )
        for each in every
        if question.text("agent", each.agent, 300) == each.agent
    )
    newest = max((each.rows[-1].generation for each in every if each.rows), default=-1)
    return ArchiveAnswer(shown, first, newest)


ENDPOINT = ApiEndpoint(
    "archive",
    "/api/runs/{run}/archive",
    answer,
    ArchiveAnswer,
    "Generations with their parents and scores.",
    (
        ("agent", "only this agent's"),
        ("from", "first generation; 0 without it"),
        ("count", f"how many of each agent; 1000 without it, at most {MOST_ROWS}"),
    ),
)
