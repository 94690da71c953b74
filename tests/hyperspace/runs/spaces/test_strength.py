"""The strength of a mark over time is what the space gave at each moment."""

from hyperspace.runs.spaces.snapshot import MomentQuery, read_moment
from hyperspace.runs.spaces.strength import strengths_of
from markspace.stores.memory import MemoryStore
from tests.support.some_space import fill


def test_each_point_is_what_the_space_gave_then() -> None:
    space = fill(MemoryStore())
    points = strengths_of(space, 3)
    assert points[0].at == 3
    for point in points:
        marks = read_moment(space, MomentQuery(at=point.at)).marks
        assert [m.strength for m in marks if m.sequence == 3] == [point.strength]


def test_a_curve_ends_where_another_mark_took_the_place() -> None:
    space = fill(MemoryStore())
    assert [point.at for point in strengths_of(space, 1)] == [1]


def test_of_a_mark_that_is_not_there_nothing_is_told() -> None:
    space = fill(MemoryStore())
    assert strengths_of(space, 99) == strengths_of(space, 0) == ()
