"""A mark space as it was right after any of its marks."""

import pytest

from hyperspace.runs.spaces.snapshot import MomentQuery, mark_at, read_moment
from markspace import Agent, Guard, MarkSpace, Observation, Scope, Warning
from markspace.core.scopes import DecayConfig
from markspace.stores.memory import MemoryStore
from tests.support.some_space import LONG, fill


@pytest.fixture
def space() -> MarkSpace:
    return fill(MemoryStore())


def test_the_present_has_counts_needs_and_the_last_marks_first(space: MarkSpace) -> None:
    moment = read_moment(space, MomentQuery(with_texts=True))
    assert moment.at == moment.head == 8
    assert [mark.sequence for mark in moment.marks][:2] == [8, 7]
    counts = {(each.scope, each.mark_type): each for each in moment.counts or ()}
    assert counts["ops/web", "observation"].superseded == 1
    assert [need.question for need in moment.needs] == [
        "Why?",
        "Is 0.6 urgent?",
        "Is 0.4 urgent?",
    ]
    assert len(moment.digest) == 64


def test_a_moment_before_knows_nothing_of_what_came_after(space: MarkSpace) -> None:
    moment = read_moment(space, MomentQuery(at=1))
    assert (moment.at, moment.head, moment.needs) == (1, 8, ())
    (mark,) = moment.marks
    assert (mark.state, mark.superseded_by, mark.key) == ("live", None, "load")


def test_a_mark_says_what_took_its_place_once_that_is_there(space: MarkSpace) -> None:
    first = read_moment(space, MomentQuery(before=2)).marks[0]
    assert (first.sequence, first.state, first.superseded_by) == (1, "superseded", 2)


def test_pages_follow_each_other_and_a_scope_is_one_with_what_lies_below(space: MarkSpace) -> None:
    page = read_moment(space, MomentQuery(count=3))
    following = read_moment(space, MomentQuery(count=3, before=page.before))
    last = read_moment(space, MomentQuery(count=3, before=following.before))
    sequences = [mark.sequence for each in (page, following, last) for mark in each.marks]
    assert (sequences, last.before) == ([8, 7, 6, 5, 4, 3, 2, 1], 0)
    web = read_moment(space, MomentQuery(scope="ops/web")).marks
    assert {mark.scope for mark in web} == {"ops/web"}


def test_without_texts_nothing_is_said_that_an_agent_wrote_freely(space: MarkSpace) -> None:
    moment = read_moment(space, MomentQuery())
    assert not any(mark.said for mark in moment.marks)
    assert not any(need.question for need in moment.needs)


def test_texts_of_agents_are_short_and_without_control_characters(space: MarkSpace) -> None:
    said = [mark.said for mark in read_moment(space, MomentQuery(with_texts=True)).marks]
    assert "\x1b" not in "".join(said) and LONG not in "".join(said)


def test_strength_is_that_of_the_moment_and_a_warning_weakens_its_target() -> None:
    decay = DecayConfig(observation_half_life=10.0, warning_half_life=1e9, intent_ttl=1e9)
    space = MarkSpace([Scope(name="ops", decay=decay)], clock=0.0, store=MemoryStore())
    agent = Agent(name="ann", scopes={"ops": ["observation", "warning"]})
    target = Guard(space).write_mark(agent, Observation(scope="ops", topic="a"))
    space.set_clock(10.0)
    Guard(space).write_mark(agent, Observation(scope="ops", topic="b"))
    Guard(space).write_mark(agent, Warning(scope="ops", invalidates=target, reason="no"))
    strengths = [
        {mark.sequence: mark.strength for mark in read_moment(space, MomentQuery(at=at)).marks}[1]
        for at in (1, 2, 3)
    ]
    assert strengths == [pytest.approx(1.0), pytest.approx(0.5), pytest.approx(0.0)]


def test_one_mark_is_read_whole_and_one_that_is_not_there_is_none(space: MarkSpace) -> None:
    mark = mark_at(space, 2)
    assert isinstance(mark, Observation) and mark.content["log"] == LONG
    assert mark_at(space, 0) is None and mark_at(space, 99) is None
