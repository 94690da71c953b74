"""The trash folder: what lies there, putting a run there, and bringing it back."""

from collections.abc import Generator
from contextlib import contextmanager

import msgspec

from hyperspace.dashboard.api.change import AskedChange, ChangeEndpoint
from hyperspace.dashboard.api.endpoint import ApiEndpoint
from hyperspace.dashboard.errors import NotDone
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.results.place import place_of
from hyperspace.dashboard.results.tree import ResultsTree
from hyperspace.kernel.errors import RunUsageError
from hyperspace.runs.trash import TrashedRun, bring_back, in_trash, put_away


class TrashList(msgspec.Struct, frozen=True):
    """The runs in the trash folder.

    Attributes:
        runs: The newest first.
    """

    runs: tuple[TrashedRun, ...]


class PutAway(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing beside the run of the address."""


class BringBack(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A run that is to be brought back.

    Attributes:
        entry: As in the list of the trash folder.
    """

    entry: str


class MovedRun(msgspec.Struct, frozen=True):
    """A run that was moved.

    Attributes:
        folder: Where it lies now.
        undo: The command line that moves it back.
        address: Of the page that shows it now.
    """

    folder: str
    undo: str
    address: str


def listed(question: Question) -> TrashList:
    """List what is in the trash folder."""
    return TrashList(in_trash(question.sources.tree.results))


def put(change: AskedChange) -> MovedRun:
    """Put a run away.

    Raises:
        NotDone: It is being played, or cannot be moved; says why.
    """
    question, tree = change.question, change.question.sources.tree
    # Links within it are moved with it, and none is followed.
    folder = tree.place(question.path["run"]).folder
    with _moving(tree):
        trashed = put_away(folder, tree.results)
    undo = f"hyperspace trash --restore {trashed.way_back(tree.results)}"
    return MovedRun(str(trashed.folder(tree.results)), undo, question.links.page("trash"))


def restore(change: AskedChange) -> MovedRun:
    """Bring a run back.

    Raises:
        NotDone: Something stands where it was, or it is not there; says why.
    """
    question, tree = change.question, change.question.sources.tree
    with _moving(tree):
        folder = bring_back(change.body.entry, tree.results)
    undo = f"hyperspace trash {folder} --results {tree.results}"
    address = question.links.page("runs", place_of(folder, tree.results).id)
    return MovedRun(str(folder), undo, address)


@contextmanager
def _moving(tree: ResultsTree) -> Generator[None]:
    """Tell what cannot be moved as not done; after a move the runs are looked for again."""
    try:
        yield
    except (RunUsageError, OSError) as error:
        raise NotDone(str(error)) from error
    tree.forget()


ENDPOINT = ApiEndpoint("trash", "/api/trash", listed, TrashList, "The runs in the trash folder.")
PUT = ChangeEndpoint(
    "put_away",
    "/api/runs/{run}/trash",
    put,
    PutAway,
    MovedRun,
    "Move a run into the trash folder; a run that is being played is refused.",
)
RESTORE = ChangeEndpoint(
    "bring_back",
    "/api/trash/restore",
    restore,
    BringBack,
    MovedRun,
    "Move a run from the trash folder to where it was.",
)
