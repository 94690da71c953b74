"""The mark space of a run, as JSON: as of any moment, with `content=1` also what marks say."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from hyperspace.dashboard.api.endpoint import ApiEndpoint
from hyperspace.dashboard.errors import NotThere
from hyperspace.dashboard.question import Question
from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.kernel.state.opening import reading
from hyperspace.kernel.state.remote.place import has_space
from hyperspace.kernel.state.scopes import COORDINATOR
from hyperspace.runs.spaces.snapshot import MomentQuery, SpaceMoment, read_moment

MARKS: Final = 50


@contextmanager
def marks_of(question: Question) -> Generator[RunMarks]:
    """Open the space of the run of the address for reading, while the context lasts.

    Raises:
        NotThere: The run has none.
    """
    folder = RunFolder(question.place.folder)
    if not (folder.record.is_file() and has_space(folder)) or folder.space.is_symlink():
        raise NotThere(
            f"{question.place.name} has no mark space that can be read: runs that others published "
            "have none, and a run of ours keeps it in space.db, beside run_config.json"
        )
    with reading(folder, read_record_of(folder.root).configuration) as marks:
        yield marks


def moment_of(question: Question, *, with_texts: bool) -> SpaceMoment:
    """Read the moment that the address names."""
    with marks_of(question) as marks:
        names = (*marks.config.agents, COORDINATOR)
        last = question.whole("before", 0)
        query = MomentQuery(
            at=question.whole("at", 0) if question.query.get("at") else None,
            scope=question.text("scope"),
            before=last or None,
            count=MARKS,
            with_texts=with_texts,
            authors={marks.author(name): name for name in names},
        )
        return read_moment(marks.space, query)


def answer(question: Question) -> SpaceMoment:
    """Read a moment of a run's mark space."""
    return moment_of(question, with_texts=question.with_texts)


ENDPOINT = ApiEndpoint(
    "marks",
    "/api/runs/{run}/marks",
    answer,
    SpaceMoment,
    "The mark space of a run, now or as of any mark.",
    (
        ("at", "The last mark that counts: its sequence; left out for the present."),
        ("scope", "Only marks of this scope and below it."),
        ("before", "Only marks below this sequence, to go on with a list."),
        ("content", "1 for what the marks say, too."),
    ),
    of="ours",
)
