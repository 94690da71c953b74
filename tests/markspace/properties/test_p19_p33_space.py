"""P19 to P33, P47: scopes, visibility, and what a space promises about its marks."""

from typing import Any
from uuid import UUID

import pytest

from markspace import (
    Action,
    Agent,
    MarkType,
    Need,
    Observation,
    Scope,
    ScopeError,
    ScopeVisibility,
    effective_strength,
)

OPEN, PROTECTED, CLASSIFIED = ScopeVisibility


def secret(house: Any, visibility: ScopeVisibility, below: str = "") -> Any:
    """A mark in a scope of that visibility; returns a function that reads it."""
    house.open(Scope(name="a", visibility=visibility))
    house.space.write(house.ann, Observation(scope="a" + below, topic="t", content="c"))

    def read(reader: Agent | None = None) -> Any:
        return house.space.read("a" + below, reader=reader)

    return read


def test_p19_unauthorised_writes_are_refused(house: Any) -> None:
    for rights in ({}, {"a/b": ["observation"]}, {"a": ["need"]}):
        with pytest.raises(ScopeError):
            house.space.write(Agent(name="x", scopes=rights), Observation(scope="a"))
    assert house.space.head() == 0


def test_p20_open_is_read_in_full_and_protected_without_content(house: Any) -> None:
    (mark,) = secret(house, OPEN)(house.bob)
    assert (mark.content, mark.projected) == ("c", False)


def test_p20_protected_is_projected_and_infrastructure_sees_all(house: Any) -> None:
    read = secret(house, PROTECTED)
    assert [m.content for m in read(house.bob)] == [None]
    assert [m.content for m in read()] == ["c"]


@pytest.mark.parametrize("visibility", [PROTECTED, CLASSIFIED])
def test_p21_p22_p23_content_needs_the_right_on_the_scope_or_above(
    house: Any, visibility: ScopeVisibility
) -> None:
    read = secret(house, visibility, "/b/c")
    for scope in ("a", "a/b", "a/b/c"):
        reader = Agent(name="r", read_scopes=frozenset({scope}))
        assert [m.content for m in read(reader)] == ["c"]
    other = Agent(name="r", read_scopes=frozenset({"a/b/c/d", "b"}))
    expected = [None] if visibility is PROTECTED else []
    assert [m.content for m in read(other)] == expected


def test_p23_write_rights_cover_descendants(house: Any) -> None:
    house.space.write(house.ann, Observation(scope="a/b/c"))
    assert len(house.space.read("a")) == 1


def test_p24_projection_hides_content_only(house: Any) -> None:
    (shown,) = secret(house, PROTECTED)(house.bob)
    (full,) = house.space.read("a")
    assert shown.projected
    assert shown == full.model_copy(update={"content": None, "projected": True})


def test_p25_classified_never_becomes_a_projection(house: Any) -> None:
    assert secret(house, CLASSIFIED)(house.bob) == []


def test_p26_an_undefined_child_inherits_visibility(house: Any) -> None:
    assert secret(house, CLASSIFIED, "/child")(house.bob) == []
    reader = Agent(name="r", read_scopes=frozenset({"a"}))
    assert len(house.space.read("a/child", reader=reader)) == 1


def test_p27_what_was_written_is_visible_to_later_reads(house: Any) -> None:
    for number in range(5):
        name = house.space.write(house.ann, Observation(scope="a", topic=str(number)))
        assert [m.id for m in house.space.read("a", topic=str(number))] == [name]


def test_p28_reading_changes_nothing(house: Any) -> None:
    house.space.write(house.ann, Observation(scope="a", content=[1]))
    head, before = house.space.audit_head(), house.space.read("a")
    for _ in range(3):
        house.space.read("a", reader=house.bob, max_tokens=1)
        house.space.aggregate_needs()
        house.space.check_conflict("a", "r")
    assert (house.space.audit_head(), house.space.read("a")) == (head, before)


def resolved(house: Any) -> tuple[UUID, UUID]:
    """A need and its resolved copy."""
    need = house.space.write(house.ann, Need(scope="a", question="q"))
    answer = house.space.write(house.bob, Action(scope="a"))
    return need, house.space.resolve(need, answer)


def test_p29_a_resolved_need_is_worth_nothing_on_the_next_read(house: Any) -> None:
    _, copy = resolved(house)
    assert house.space.read("a", mark_type=MarkType.NEED) == []
    mark = house.space.get_mark(copy)
    assert effective_strength(mark, 100.0, house.space.get_scope("a").decay) == 0


def test_p30_resolution_makes_a_new_mark_and_leaves_the_old(house: Any) -> None:
    need, copy = resolved(house)
    assert house.space.get_mark(need).resolved_by is None
    assert house.space.get_mark(copy).supersedes == need


def test_p31_every_write_gets_its_own_id(house: Any) -> None:
    mark = Observation(scope="a")
    ids = {house.space.write(house.ann, mark) for _ in range(20)}
    assert len(ids) == 20
    assert mark.id not in ids


def test_p32_there_is_one_order_and_time_never_decreases_in_it(house: Any) -> None:
    for t in (100, 90, 300, 200):
        house.space.set_clock(t)
        house.space.write(house.ann, Action(scope="a"))
    history = list(house.space.history())
    assert [sequence for sequence, _ in history] == [1, 2, 3, 4]
    assert [mark.created_at for _, mark in history] == [100, 100, 300, 300]


def test_p33_a_failing_hook_affects_neither_mark_nor_reads(house: Any) -> None:
    def broken(agent_id: UUID, mark: Any) -> None:
        raise RuntimeError("broken")

    house.space.add_write_hook(broken)
    name = house.space.write(house.ann, Observation(scope="a"))
    assert [m.id for m in house.space.read("a")] == [name]


def test_p47_only_the_newest_of_a_chain_is_visible(house: Any) -> None:
    last = None
    for number in range(30):
        mark = Observation(scope="a", content=number, supersedes=last)
        last = house.space.write(house.ann, mark)
        assert [m.content for m in house.space.read("a", min_strength=0.0)] == [number]
