"""What an agent may know of validation decides all that it can notice, and exact scores nothing."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperspace.kernel.selection.fitness_in_sight import in_sight, step_of, values_in_sight
from hyperspace.kernel.state.archive import Archive
from hyperspace.tasks.base import SPLITS, Domain, Split
from hyperspace.tasks.table import Row, TableDomain
from hyperspace.workspace.visibility import Visibility
from tests.support.runs.manifests import manifest

ITEMS = 25  # so the step is a tenth
shares = st.lists(st.integers(0, ITEMS).map(lambda hits: hits / ITEMS), min_size=1, max_size=12)


def task(items: int = ITEMS) -> Domain:
    rows: dict[Split, list[Row]] = {
        split: [Row(f"{split}{n}", {}, "x") for n in range(items)] for split in SPLITS
    }
    return TableDomain("t", rows, smoke_inputs={})


def archive(visible: Visibility, vals: Sequence[float | None], *, train: float = 0.5) -> Archive:
    made = Archive("a", in_sight(visible, task()))
    for generation, val in enumerate(vals):
        made.add(manifest(generation, val, valid=val is not None, train=train))
    return made


def shown(made: Archive) -> list[float | None]:
    return [entry.val_score for entry in made.in_sight.entries]


def noticed(made: Archive) -> list[object]:
    """All of an archive that an agent can notice."""
    known = made.in_sight
    return [
        shown(made),
        known.parent("best"),
        known.parent("previous"),
        known.fittest,
        known.mean_of_best(3),
        known.shown(),
        known.published_before(99),
    ]


def test_exact_scores_are_in_sight_as_they_are() -> None:
    made = archive(Visibility(), [0.32, 0.36])
    assert made.in_sight is made


def test_a_rounded_score_is_a_multiple_of_its_standard_error() -> None:
    assert (step_of(task()), values_in_sight(task())) == (0.1, 11)
    made = archive(Visibility(val="rounded"), [0.32, 0.36, 0.28, None, 1.0])
    assert shown(made) == [0.3, 0.4, 0.3, None, 1.0]
    assert [entry.generation for entry in made.in_sight.published_before(9)] == [0, 1, 4]


def test_a_ladder_rises_by_more_than_a_step_and_repeats_the_best_otherwise() -> None:
    made = archive(Visibility(val="ladder"), [0.32, 0.36, 0.40, 0.44, 0.04, None, 0.52])
    assert shown(made) == [0.3, 0.3, 0.3, 0.4, 0.4, None, 0.5]
    assert [entry.generation for entry in made.in_sight.published_before(9)] == [0, 3, 6]


@given(shares)
def test_a_ladder_never_falls_and_is_within_two_steps_of_the_best(vals: list[float]) -> None:
    rungs = [rung for rung in shown(archive(Visibility(val="ladder"), vals)) if rung is not None]
    assert rungs == sorted(rungs)
    assert rungs[-1] == pytest.approx(max(vals), abs=2 * step_of(task()))


def test_the_best_generation_for_test_is_found_by_exact_scores() -> None:
    for val in ("rounded", "ladder", "none"):
        made = archive(Visibility(val=val), [0.32, 0.36, 0.40, 0.04])
        assert made.best is not None
        assert made.best.generation == 2


@pytest.mark.long
@given(shares, st.data(), st.sampled_from(["full", "none"]))
def test_without_validation_no_score_of_it_is_noticed(
    vals: list[float], data: st.DataObject, train: str
) -> None:
    others = data.draw(
        st.lists(st.sampled_from([0.0, 0.2, 0.9]), min_size=len(vals), max_size=len(vals))
    )
    visible = Visibility(train=train, val="none")  # pyright: ignore[reportArgumentType]
    assert noticed(archive(visible, vals)) == noticed(archive(visible, others))


@given(shares)
def test_a_run_with_the_rounded_scores_as_its_own_goes_on_like_it(vals: list[float]) -> None:
    visible = Visibility(val="rounded")
    made = archive(visible, vals)
    assert noticed(archive(visible, shown(made))) == noticed(made)


def test_with_nothing_in_sight_the_newest_is_built_upon_and_published() -> None:
    made = archive(Visibility(train="none", val="none"), [0.8, 0.4, None])
    parent = made.in_sight.parent("best")
    assert parent is not None
    assert parent.generation == 1
    assert [entry.generation for entry in made.in_sight.published_before(9)] == [0, 1]
