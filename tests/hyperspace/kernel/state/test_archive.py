from random import Random
from typing import Any, get_args

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from hyperspace.kernel.selection.fitness_in_sight import in_sight
from hyperspace.kernel.selection.named import kept as kept_rule
from hyperspace.kernel.state.archive import BEST_SHOWN, LAST_SHOWN, Archive
from hyperspace.kernel.state.manifest import Manifest, best_of
from hyperspace.options.launch import Fallback
from hyperspace.tasks.registry import load
from hyperspace.workspace.visibility import Visibility
from tests.support.runs.manifests import manifest


def archive_of(*scores: float | None) -> Archive:
    """One generation a score; None is an invalid generation."""
    archive = Archive("a")
    for generation, score in enumerate(scores):
        archive.add(manifest(generation, score, valid=score is not None))
    return archive


def number(entry: Any) -> int | None:
    return None if entry is None else entry.generation


def test_the_parent_is_the_latest_valid_generation() -> None:
    assert number(archive_of(0.5, 0.7, 0.6).parent("best")) == 2


def test_after_a_failed_gate_the_parent_is_the_best_generation() -> None:
    assert number(archive_of(0.5, 0.7, 0.6, None).parent("best")) == 1


def test_each_fallback_has_its_own_parent_after_a_failure() -> None:
    archive = archive_of(0.5, 0.7, 0.6, None)
    assert number(archive.parent("best")) == 1
    assert number(archive.parent("previous")) == 2
    assert number(archive.parent("none")) == 3


def test_a_fall_to_zero_is_a_failure_for_the_fallback_to_the_best_alone() -> None:
    archive = archive_of(0.5, 0.7, 0.0)
    parents = [number(archive.parent(fallback)) for fallback in get_args(Fallback)]
    assert parents == [1, 2, 2]


def test_without_a_failure_every_fallback_has_the_same_parent() -> None:
    archive = archive_of(0.5, None, 0.7, 0.6)
    assert {number(archive.parent(fallback)) for fallback in get_args(Fallback)} == {3}


def given_up(archive: Archive) -> None:
    """Close the next generation as one whose model did not answer."""
    number = archive.next_generation()
    closed = manifest(number, None, valid=False)
    archive.add(msgspec.structs.replace(closed, error_class="infrastructure", parent=number - 1))


def test_a_generation_that_was_given_up_is_no_failure_of_anybody() -> None:
    archive = archive_of(0.5, 0.7, 0.6)
    parents = {fallback: number(archive.parent(fallback)) for fallback in get_args(Fallback)}
    children, since_best = [*archive.children], archive.since_best
    shown = archive.shown()
    given_up(archive)
    assert parents == {each: number(archive.parent(each)) for each in get_args(Fallback)}
    assert archive.children == [*children, 0]
    assert (archive.since_best, archive.shown()) == (since_best, shown)
    archive.add(manifest(4, 0.1))
    assert archive.since_best == since_best + 1
    assert archive.as_of(4).since_best == since_best


def test_a_failure_before_a_generation_that_was_given_up_is_still_one() -> None:
    archive = archive_of(0.5, 0.7, 0.6, None)
    given_up(archive)
    assert number(archive.parent("best")) == 1
    assert number(archive.parent("none")) == 3


def test_an_agent_that_may_not_know_its_best_is_shown_its_last_alone() -> None:
    archive = archive_of(0.9, *[0.1] * 30)
    assert archive.shown()[0] == 0
    assert archive.shown(best=False) == list(range(11, 31))


def test_after_a_fall_to_zero_the_parent_is_the_best_generation() -> None:
    assert number(archive_of(0.5, 0.7, 0.0).parent("best")) == 1


def test_the_earliest_of_equals_is_the_best() -> None:
    assert number(archive_of(0.5, 0.7, 0.7).best) == 1


def kept(*tries: tuple[float | None, int], visible: Visibility | None = None) -> int | None:
    """The best of tries, each its validation score and the length of its code."""
    known = in_sight(visible, load("repo_quality")) if visible else None
    archive, manifests = Archive("a", known), list[Manifest]()
    for generation, (score, chars) in enumerate(tries):
        closed = manifest(generation, score, valid=score is not None)
        manifests.append(msgspec.structs.replace(closed, code_chars=chars))
        archive.add(manifests[-1])
    if visible is None:
        best = best_of(manifests)
        assert number(archive.best) == (None if best is None else best.generation)
    assert number(archive.in_sight.best) == number(kept_rule(archive.in_sight, Random(0)))
    return number(archive.in_sight.best)


def test_where_length_counts_the_shorter_of_equals_is_the_best() -> None:
    assert kept((0.5, 90), (0.7, 90), (0.7, 90), (0.7, 80), (0.6, 10)) == 3
    assert kept((0.5, 90), (0.7, 80), (0.7, 81)) == 1
    assert kept((0.5, 90), (None, 10), (0.4, 10)) == 0


def test_of_tries_that_look_equal_the_shorter_is_the_best_in_sight() -> None:
    rounded = Visibility(val="ladder")
    assert kept((0.5, 90), (0.55, 91), (0.56, 80), visible=rounded) == 2
    assert kept((0.5, 90), (0.99, 91), (0.98, 92), visible=rounded) == 1


def test_before_a_score_on_validation_the_earliest_valid_generation_is_kept() -> None:
    archive = archive_of()
    assert kept_rule(archive, Random(0)) is None
    archive.add(msgspec.structs.replace(manifest(0, 0.0), splits={}))
    archive.add(msgspec.structs.replace(manifest(1, 0.0), splits={}))
    assert number(kept_rule(archive, Random(0))) == 0


def test_nothing_valid_leaves_no_parent() -> None:
    assert archive_of(None).parent("best") is None
    assert Archive("a").parent("best") is None


def test_peers_see_the_best_of_earlier_rounds_only() -> None:
    archive = archive_of(0.5, 0.7, 0.6, 0.9)
    published = [[entry.generation for entry in archive.published_before(g)] for g in range(5)]
    assert published == [[], [0], [0, 1], [0, 1], [0, 1, 3]]


def test_a_generation_without_a_validation_score_is_never_published() -> None:
    archive = Archive("a")
    assert not archive.add(manifest(0, None)).is_best


@given(st.lists(st.one_of(st.none(), st.sampled_from([0.0, 0.1, 0.5, 0.9])), max_size=60))
def test_what_is_shown_is_the_best_and_the_last_and_bounded(scores: list[float | None]) -> None:
    archive = archive_of(*scores)
    shown = archive.shown()
    valid = [(-score, g) for g, score in enumerate(scores) if score is not None]
    best = [g for _, g in sorted(valid)[:BEST_SHOWN]]
    last = range(max(0, len(scores) - LAST_SHOWN), len(scores))
    assert shown == sorted({*best, *last})
    assert len(shown) <= BEST_SHOWN + LAST_SHOWN
