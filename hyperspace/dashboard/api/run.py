"""One run, as JSON: how it stands."""

import msgspec

from hyperspace.dashboard.api.endpoint import ApiEndpoint
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.reading.curves import curves_of
from hyperspace.runs.following.overview import RunOverview
from hyperspace.runs.following.scores import number_at


class AgentStanding(msgspec.Struct, frozen=True):
    """How an agent stands.

    Attributes:
        name: Its name.
        last: Its newest generation; -1 before the first.
        val: Validation score of that; None without one.
        best_generation: Generation with the best validation score; None without one.
        best_val: That score.
        test: Score on the sealed test split; None before the end.
    """

    name: str
    last: int
    val: float | None
    best_generation: int | None
    best_val: float | None
    test: float | None


class RunStanding(msgspec.Struct, frozen=True):
    """How a run stands.

    Attributes:
        id: What addresses call it.
        name: Its path below the results folder.
        overview: It at a glance.
        agents: In turn order.
        sequence: The last mark that was seen; 0 where there are none.
    """

    id: str
    name: str
    overview: RunOverview
    agents: tuple[AgentStanding, ...]
    sequence: int


def answer(question: Question) -> RunStanding:
    """Read how the run of the address stands."""
    place, curves = question.place, curves_of(question)
    agents = tuple(
        AgentStanding(
            name,
            len(each) - 1,
            number_at(each.val, len(each) - 1),
            each.best_generation,
            each.best_val,
            each.test,
        )
        for name, each in curves.columns.items()
    )
    overview = question.sources.followed.overview(place)
    return RunStanding(place.id, place.name, overview, agents, curves.sequence)


ENDPOINT = ApiEndpoint(
    "run", "/api/runs/{run}", answer, RunStanding, "How one run stands.", of="any"
)
