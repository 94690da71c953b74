"""The runs that somebody chose to compare, and what the report says of them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from hyperspace.dashboard.errors import BadQuery, NotThere
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.results.place import ID_DIGITS, RunPlace
from hyperspace.kernel.errors import RunDamaged, RunUsageError
from hyperspace.reporting.lines import counted
from hyperspace.runs.records import Run
from markspace.errors import StoreError
from replication.report.budget_curves import BUDGETS, Budget
from replication.report.build import Study, study_of

MOST_COMPARED: Final = 200
_MOST_LETTERS: Final = 4_000  # of an address: 200 ids with commas, or the longest path
QUERY: Final = (
    ("runs", "ids of runs, with commas between them"),
    ("below", "instead of ids: a folder, as the names of runs have it"),
    ("against", "compare every arm with this one only"),
    ("over", f"what lies along the axis of curves: {', '.join(BUDGETS)}"),
)


class SelectedRuns(NamedTuple):
    """The runs that an address names.

    Attributes:
        places: At most 200, in the order of all runs.
        more: How many there are beyond those.
    """

    places: tuple[RunPlace, ...]
    more: int = 0


class ComparedRuns(NamedTuple):
    """Runs that were read and compared.

    Attributes:
        study: What the report says, and the runs behind it.
        places: Of each run by its source.
        notes: What was left out, and why.
    """

    study: Study
    places: dict[str, RunPlace]
    notes: tuple[str, ...]


def selected_runs(question: Question) -> SelectedRuns:
    """Return the runs that `runs` or `below` names; none where neither is given.

    Raises:
        NotThere: An id names no run, or a folder holds none.
        BadQuery: Both are given, or one of them is too long.
    """
    ids = [each for each in question.text("runs", most=_MOST_LETTERS).split(",") if each]
    below = question.text("below", most=_MOST_LETTERS).strip("/")
    if ids and below:
        raise BadQuery("runs and below cannot both be given; leave one of them out")
    tree = question.sources.tree
    if below:
        # Names are looked up among those of the runs; no path is made of what was asked.
        within = [each for each in tree.places() if f"{each.name}/".startswith(f"{below}/")]
        if not within:
            raise NotThere(f"there is no run below {below[:200]!r}; /compare lists folders")
        return SelectedRuns(tuple(within[:MOST_COMPARED]), max(0, len(within) - MOST_COMPARED))
    ids = list(dict.fromkeys(each[: ID_DIGITS + 1] for each in ids))
    places = tuple(tree.place(each) for each in ids[:MOST_COMPARED])
    return SelectedRuns(places, max(0, len(ids) - MOST_COMPARED))


def compared(question: Question, selected: SelectedRuns) -> ComparedRuns:
    """Read runs and compare them as `hyperspace report` does.

    Raises:
        BadQuery: There is no arm of the name that is given as `against`.
    """
    runs: list[Run] = []
    notes: list[str] = []
    places: dict[str, RunPlace] = {}
    for each in selected.places:
        try:
            run = question.sources.held.scored(each)
        except (RunUsageError, RunDamaged, StoreError, OSError) as error:
            notes.append(f"{each.name} cannot be read: {error}")
        else:
            runs.append(run)
            places[run.source] = each
    if selected.more:
        notes.append(
            f"At most {MOST_COMPARED} runs are compared at once; {selected.more} more are left out."
        )
    try:
        against = question.text("against", most=_MOST_LETTERS) or None
        study = study_of(runs, str(question.sources.tree.results), against=against, left_out=notes)
    except RunUsageError as error:
        raise BadQuery(str(error)) from error
    notes += _doubled(study, runs, places)
    return ComparedRuns(study, places, tuple(notes))


def budget_asked(question: Question) -> Budget:
    """Return what lies along the axis of curves.

    Raises:
        BadQuery: It is none of those that there are.
    """
    text = question.text("over", "generations")
    for name in BUDGETS:
        if name == text:
            return name
    raise BadQuery(f"over={text[:40]!r} is none of {', '.join(BUDGETS)}")


def folders_of_runs(places: Sequence[RunPlace]) -> list[tuple[str, int]]:
    """Return the folders that hold at least two runs, by name, with how many."""
    counts = Counter(
        str(above)
        for each in places
        for above in PurePosixPath(each.name).parents
        if str(above) != "."
    )
    return sorted((name, count) for name, count in counts.items() if count > 1)


def _doubled(study: Study, runs: Sequence[Run], places: dict[str, RunPlace]) -> Iterator[str]:
    """Name the runs that are not part of any arm, as another one has the same arm and seed."""
    kept = {run.source for each in study.experiments for arm in each.arms for run in arm.runs}
    for run in runs:
        if run.source not in kept:
            yield (
                f"{places[run.source].name} is left out: another run of {run.arm} has seed "
                f"{run.seed}, too, and comes first."
            )
    if len(study.experiments) > 1:
        yield (
            f"These runs are of {counted(len(study.experiments), 'experiment')}; runs of different "
            "ones are never compared with each other."
        )
