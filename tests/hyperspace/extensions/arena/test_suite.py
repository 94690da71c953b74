"""The live suite stays hard and varied."""

from hyperspace.extensions.arena.suite import retained
from hyperspace.tasks.shapes.cases import TaskCase


def case(name: str, kind: str) -> TaskCase:
    return TaskCase(name, {}, "yes", kind)


CASES = [case(f"{kind}{n}", kind) for n in range(3) for kind in "abc"]


def names(fails: dict[str, int], room: int) -> list[str]:
    return [each.id for each in retained(CASES, fails, room)]


def test_the_classes_take_turns_the_hardest_first() -> None:
    assert names({"b0": 2, "b1": 2, "b2": 2, "a0": 1}, 3) == ["a0", "b2", "c2"]
    assert names({"b0": 2, "b1": 1, "a0": 1}, 5) == ["a0", "b0", "b1", "a2", "c2"]


def test_what_nobody_fails_goes_before_what_somebody_fails() -> None:
    assert names({"c0": 1}, 1) == ["c0"]


def test_of_equals_the_newest_stay_in_the_order_in_which_they_came() -> None:
    assert names({}, 6) == ["a1", "b1", "c1", "a2", "b2", "c2"]


def test_room_bounds_it() -> None:
    assert names({}, 100) == [each.id for each in CASES]
    assert names({}, 0) == names({}, -3) == []
    assert retained([], {}, 5) == ()
