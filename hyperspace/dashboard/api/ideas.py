"""Ideas of a research run, as JSON: all at a glance, and one with its texts."""

from typing import Final

import msgspec

from hyperspace.dashboard.api.endpoint import ApiEndpoint
from hyperspace.dashboard.errors import BadQuery, NotThere
from hyperspace.dashboard.question import Question, number_in
from hyperspace.dashboard.results.followed_research import ResearchStanding
from hyperspace.research.loop.records import DiffTry
from hyperspace.research.loop.under_way import UnderWay
from hyperspace.runs.files import TextFile
from hyperspace.runs.following.overview import RunOverview
from hyperspace.runs.research.reader import IdeaLine

PAGE: Final = 200
ORDERS: Final = ("rank", "number")
_TAIL: Final = 64 * 1024


class IdeaRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A closed idea at a glance.

    Attributes:
        number: From 1 on; 0 is the repository as it is.
        rank: From 1 on, by score; None without one.
        epoch: From 0 on.
        kind: Whether it builds upon the best, or is new.
        model: Of who had it; empty for number 0.
        parent: The idea whose repository it changed; 0 for the repository as it is.
        shown: Ideas whose results its model saw.
        state: What came of it.
        score: None where there is none.
        diffs: How many diffs its model gave.
        cpu_s: CPU seconds of its jobs.
        cpu_by: Who counted those of its training; empty where that is not known.
        title: How its words begin; a text.
        reason: Why there is no score; a text.
    """

    number: int
    rank: int | None
    epoch: int
    kind: str
    model: str
    parent: int
    shown: tuple[int, ...]
    state: str
    score: float | None
    diffs: int
    cpu_s: float
    cpu_by: str
    title: str = ""
    reason: str = ""


class IdeaList(msgspec.Struct, frozen=True, kw_only=True):
    """A research run and some of its ideas.

    Attributes:
        id: What addresses call the run.
        overview: The run at a glance.
        metric: Name of the score.
        goal: Which score is better, `max` or `min`.
        arm: `search`, or `best_of_n`, its control.
        epoch: The epoch that is played, or was played last.
        under_way: Ideas that somebody works on; `tail` of each is a text.
        total: How many are closed, the repository as it is included.
        first: Number of the first one listed, from 0.
        ideas: Some of them.
    """

    id: str
    overview: RunOverview
    metric: str
    goal: str
    arm: str
    epoch: int
    under_way: tuple[UnderWay, ...]
    total: int
    first: int
    ideas: tuple[IdeaRecord, ...]


class IdeaTexts(msgspec.Struct, frozen=True, kw_only=True):
    """What models, jobs and gates said of an idea.

    Attributes:
        text: The idea in words.
        diff: From the repository as it is to the one that was trained; empty where none passed.
        tries: Every diff that its model gave, with what it was told.
        reason: Why there is no score; empty where there is one.
        log: The end of what its job printed.
    """

    text: str = ""
    diff: str = ""
    tries: tuple[DiffTry, ...] = ()
    reason: str = ""
    log: str = ""


class IdeaAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One closed idea.

    Attributes:
        number: Its number.
        is_last: Whether none of a higher number is closed.
        record: It at a glance.
        artefacts: SHA-256 of what its job left, by path.
        texts: What was said; None unless it is asked for.
    """

    number: int
    is_last: bool
    record: IdeaRecord
    artefacts: dict[str, str]
    texts: IdeaTexts | None = None


def listed_ideas(question: Question, *, with_texts: bool | None = None) -> IdeaList:
    """List closed ideas.

    Args:
        question: What was asked.
        with_texts: Whether texts are listed, too; None for what the question says.

    Raises:
        BadQuery: There is no such order.
    """
    with_texts = question.with_texts if with_texts is None else with_texts
    order = question.text("order", ORDERS[0])
    if order not in ORDERS:
        raise BadQuery(f"order={order[:40]!r} is none of {', '.join(ORDERS)}")
    standing = question.research().look()
    records = _records(standing, with_texts=with_texts)
    if order == ORDERS[0]:
        records.sort(key=lambda idea: (idea.rank is None, idea.rank or 0, idea.number))
    first = question.whole("from", 0)
    under_way = standing.under_way
    if not with_texts:
        under_way = tuple(msgspec.structs.replace(idea, tail=()) for idea in under_way)
    return IdeaList(
        id=question.place.id,
        overview=standing.overview,
        metric=standing.metric,
        goal=standing.goal,
        arm=standing.record.configuration.arm,
        epoch=standing.epoch,
        under_way=under_way,
        total=len(records),
        first=first,
        ideas=tuple(records[first : first + PAGE]),
    )


def idea_of(question: Question, *, with_texts: bool | None = None) -> IdeaAnswer:
    """Read the closed idea of the address; see `listed_ideas`.

    Raises:
        NotThere: None of this number is closed.
    """
    with_texts = question.with_texts if with_texts is None else with_texts
    text, run = question.path["idea"], question.research()
    number = number_in(text)
    idea, standing = run.whole(number), run.look()
    if idea is None or number not in standing.ideas:
        last = max(standing.ideas, default=None)
        upto = "none is closed yet" if last is None else f"the last one that is closed is {last}"
        raise NotThere(f"no idea {text[:20]!r} is closed in this run; {upto}")
    texts = None
    if with_texts:  # the log in its folder has more than the space
        folder = question.place.folder / "ideas" / f"{number:04d}"
        texts = IdeaTexts(
            text=idea.text,
            diff=idea.diff,
            tries=idea.tries,
            reason=idea.reason,
            log=(TextFile(folder / "log.txt").read() or idea.log)[-_TAIL:],
        )
    records = _records(standing, with_texts=with_texts)
    return IdeaAnswer(
        number=number,
        is_last=number == max(standing.ideas),
        record=next(record for record in records if record.number == number),
        artefacts=idea.artefacts,
        texts=texts,
    )


def _records(standing: ResearchStanding, *, with_texts: bool) -> list[IdeaRecord]:
    ranks = {idea.number: rank for rank, idea in enumerate(standing.ranked, 1)}
    config = standing.record.configuration

    def record(idea: IdeaLine) -> IdeaRecord:
        return IdeaRecord(
            number=idea.number,
            rank=ranks.get(idea.number),
            epoch=idea.epoch,
            kind=idea.kind,
            model=config.model(idea.number) if idea.number else "",
            parent=idea.parent,
            shown=idea.shown,
            state=idea.state,
            score=idea.score,
            diffs=idea.diffs,
            cpu_s=idea.cpu_s,
            cpu_by=idea.cpu_by,
            title=idea.title if with_texts else "",
            reason=idea.reason if with_texts else "",
        )

    return [record(idea) for idea in standing.ideas.values()]


_CONTENT: Final = ("content", "1 for texts, too, which models and jobs may have written.")
LIST = ApiEndpoint(
    "ideas",
    "/api/runs/{run}/ideas",
    listed_ideas,
    IdeaList,
    "A research run: how it stands, what is under way, its ideas by rank.",
    (
        ("order", "`rank`, or `number`; by rank if not given."),
        ("from", "Number of the first one listed; 0 if not given."),
        _CONTENT,
    ),
    "research",
)
ONE = ApiEndpoint(
    "idea",
    "/api/runs/{run}/ideas/{idea}",
    idea_of,
    IdeaAnswer,
    "One closed idea of a research run, with its diff, tries and log.",
    (_CONTENT,),
    "research",
)
