"""Wishes of the principal take effect once, in the order in which they were written."""

from collections.abc import Iterator
from typing import NamedTuple
from uuid import uuid4

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hyperspace.kernel.errors import RunDamaged
from hyperspace.kernel.state.ids import RunIds
from hyperspace.kernel.state.mark_writer import MarkWriter
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.kernel.state.scopes import NEEDS, STEERING, agent_rights, run_scopes, steering_scope
from hyperspace.kernel.state.steering.command_queue import CommandQueue
from hyperspace.kernel.state.steering.principal import Principal
from hyperspace.kernel.state.steering.records import (
    AnswerNeed,
    GiveUp,
    PauseRun,
    PinParent,
    RaisedNeed,
    ResumeRun,
    SayTo,
    SetQuota,
    Steering,
    concerns,
)
from markspace import Action, Guard, MarkSpace, MarkType, Observation, ScopeError
from markspace.stores.base import Store
from markspace.stores.memory import MemoryStore
from markspace.stores.sqlite import SQLiteStore
from tests.support.runs import begun
from tests.support.servers.postgres_server import PostgresServer, why_not

CONFIG = msgspec.structs.replace(begun.CONFIG, options={"needs": True})
NAMES = st.sampled_from(CONFIG.agents)
WISHES = st.one_of(
    st.just(PauseRun()),
    st.just(ResumeRun()),
    st.builds(SayTo, agent=st.sampled_from(["all", *CONFIG.agents]), text=st.text(min_size=1)),
    st.builds(PinParent, agent=NAMES, generation=st.none() | st.integers(0, 9)),
    st.builds(SetQuota, agent=NAMES, calls=st.none() | st.integers(1, 9)),
)


class Opened(NamedTuple):
    """A run's space as one process has it open: the player's, or the principal's."""

    marks: RunMarks
    writer: MarkWriter
    principal: Principal

    def queue(self) -> CommandQueue:
        return CommandQueue(self.marks, self.writer)


def opened(store: Store) -> Opened:
    ids = RunIds(CONFIG.root_seed)
    space = MarkSpace(run_scopes(CONFIG.agents), clock=0.0, store=store, id_factory=ids)
    return Opened(RunMarks(space, CONFIG), MarkWriter(space, CONFIG, ids), Principal(space, ids))


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Store]:
    if request.param == "memory":
        yield MemoryStore()
        return
    if request.param == "sqlite":
        sqlite = SQLiteStore(tmp_path_factory.mktemp("space") / "space.db")
        yield sqlite
        sqlite.close()
        return
    if (reason := why_not()) is not None:
        pytest.skip(reason)
    from markspace.stores.postgres import PostgresStore

    server = PostgresServer()
    postgres = PostgresStore(server.dsn, f"t{uuid4().hex}")
    yield postgres
    postgres.close()
    server.remove()


@pytest.mark.long
@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(WISHES | st.tuples(NAMES, st.booleans())))
def test_the_order_of_marks_is_the_order_of_effect_whoever_is_killed_in_between(
    steps: list[Steering | tuple[str, bool]],
) -> None:
    run = opened(MemoryStore())
    queue, looks = run.queue(), dict.fromkeys(CONFIG.agents, 0)
    written: list[Steering] = []
    for step in steps:
        if not isinstance(step, tuple):
            run.principal.write(step)
            written.append(step)
            continue
        agent, is_killed = step
        queue.look(agent, looks[agent])
        looks[agent] += 1
        if is_killed:
            queue = run.queue()
    for agent in CONFIG.agents:
        queue.look(agent, looks[agent])
        taken = [wish for n in range(looks[agent] + 1) for wish in queue.taken(agent, n)]
        assert taken == [wish for wish in written if concerns(wish, agent)]
        pins = [wish.generation for wish in taken if isinstance(wish, PinParent)]
        assert queue.standing(agent).pinned == (pins[-1] if pins else None)
        again = run.queue()
        assert again.standing(agent) == queue.standing(agent)
        assert again.look(agent, 99) == ()


def test_a_wish_of_another_process_takes_effect_at_the_next_look(store: Store) -> None:
    player, other = opened(store), opened(store)
    queue = player.queue()
    assert queue.look("tinker", 0) == ()
    wish = SayTo(agent="tinker", text="hello")
    other.principal.write(wish)
    other.principal.write(PauseRun())
    assert queue.look("tinker", 1) == (wish, PauseRun())
    assert queue.read.is_paused
    assert queue.look("magpie", 1) == (PauseRun(),)
    assert queue.messages("tinker", 1) == (wish,)
    assert player.queue().taken("tinker", 1) == (wish, PauseRun())
    assert player.marks.space.verify().ok


def test_a_wish_of_an_attempt_waits_for_the_next_generation_and_later_ones_with_it(
    store: Store,
) -> None:
    run = opened(store)
    pin, unpin = (PinParent(agent="tinker", generation=number) for number in (0, None))
    said, quota = SayTo(agent="all", text="hello"), SetQuota(agent="tinker", calls=9)
    run.principal.write(quota, during={"tinker": 2})
    run.principal.write(pin, during={"tinker": 2})
    run.principal.write(unpin)
    run.principal.write(said)
    queue = run.queue()
    assert queue.look("magpie", 2) == (said,)
    assert queue.look("tinker", 2) == (quota,), "killed, the attempt at 2 is begun again"
    assert run.queue().look("tinker", 3) == (pin, unpin, said)


def test_a_generation_is_given_up_at_its_own_look_and_all_else_waits_for_the_next(
    store: Store,
) -> None:
    run = opened(store)
    said, wish = SayTo(agent="all", text="hello"), GiveUp(agent="tinker", generation=2)
    run.principal.write(said)
    run.principal.write(wish, during={"tinker": 2})
    run.principal.write(wish)
    queue = run.queue()
    assert queue.look("magpie", 2) == (said,)
    assert queue.look("tinker", 2) == (wish,), "a second one adds nothing"
    again = run.queue()
    assert again.is_given_up("tinker", 2)
    assert again.look("tinker", 2) == (), "killed, it is closed as given up"
    assert again.look("tinker", 3) == (said,)
    assert not again.is_given_up("tinker", 3)


@pytest.mark.anyio
async def test_what_is_given_up_too_late_takes_no_effect(store: Store) -> None:
    run = opened(store)
    queue = run.queue()
    with queue.under_way("tinker", 2) as scope:
        queue.settled("tinker", 2)
        run.principal.write(GiveUp(agent="tinker", generation=2), during={"tinker": 2})
        assert queue.end_given_up() == []
        assert not scope.cancel_called
    assert run.queue().look("tinker", 3) == ()


@pytest.mark.anyio
async def test_a_generation_under_way_ends_once_it_is_on_record_that_it_is_given_up(
    store: Store,
) -> None:
    run = opened(store)
    queue, wish = run.queue(), GiveUp(agent="tinker", generation=2)
    with queue.under_way("magpie", 2) as other, queue.under_way("tinker", 2) as scope:
        assert queue.end_given_up() == []
        run.principal.write(wish, during={"tinker": 2, "magpie": 2})
        assert queue.end_given_up() == [wish]
        assert (scope.cancel_called, other.cancel_called) == (True, False)
        assert queue.end_given_up() == []
    assert run.queue().is_given_up("tinker", 2)


def test_a_need_is_one_mark_however_often_it_is_raised_and_its_answer_comes_at_a_look(
    store: Store,
) -> None:
    player, other = opened(store), opened(store)
    need = RaisedNeed("which?", blocking=False)
    name = player.writer.raise_need("tinker", 1, need)
    assert player.writer.raise_need("tinker", 1, need) == name
    assert len(player.marks.space.read(NEEDS, mark_type=MarkType.NEED)) == 1
    answer = AnswerNeed(agent="tinker", need=str(name), question="which?", text="this")
    other.principal.write(answer)
    queue = player.queue()
    assert queue.read.answer_to(str(name)) == answer
    assert queue.look("magpie", 2) == ()
    assert queue.look("tinker", 1) == (), "killed, the generation that asks goes on"
    assert queue.look("tinker", 2) == (answer,)


def test_an_agent_that_steers_or_answers_is_refused_on_record(store: Store) -> None:
    run = opened(store)
    run.principal.write(PauseRun())
    name = run.writer.raise_need("tinker", 1, RaisedNeed("which?", blocking=True))
    space = run.marks.space
    agent = space.enroll(agent_rights("tinker", run.marks.author("tinker"), needs=True))
    guard, entries = Guard(space), len(list(space.audit()))
    for scope in (STEERING, NEEDS):
        mark = Observation(scope=scope, topic="steer/run", content={"verb": "resume"})
        with pytest.raises(ScopeError):
            guard.write_mark(agent, mark)
        forged = Action(scope=scope, resource="steer/run", action="resume")
        with pytest.raises(ScopeError, match="not a system agent"):
            guard.write_all([], infrastructure=[(agent, forged)])
        with pytest.raises(ValueError, match="Cannot write action"):
            guard.for_agent(agent).write_mark(forged)
    (pause,) = space.read(STEERING, mark_type=MarkType.ACTION)
    with pytest.raises(ScopeError, match="no action right"):
        space.resolve(name, pause.id, agent=agent)
    assert len(list(space.audit())) >= entries + 4
    assert run.queue().read.is_paused
    assert run.queue().read.answer_to(str(name)) is None


def test_a_mark_of_somebody_else_in_the_scope_steers_nothing(store: Store) -> None:
    run = opened(store)
    space = run.marks.space
    space.register_scope(steering_scope())
    stranger = agent_rights("stranger", uuid4(), needs=False).model_copy(
        update={"scopes": {STEERING: [MarkType.ACTION.value]}}
    )
    handle = space.enroll(stranger, system=True)
    space.write(handle, Action(scope=STEERING, resource="steer/run", action="pause", result={}))
    assert not run.queue().read.is_paused


def test_a_mark_of_the_principal_that_is_no_wish_is_told(store: Store) -> None:
    run = opened(store)
    run.principal.write(PauseRun())
    space = run.marks.space
    (mark,) = space.read(STEERING, mark_type=MarkType.ACTION)
    assert isinstance(mark, Action)
    handle = space.enroll(
        agent_rights("p", mark.agent_id, needs=False).model_copy(
            update={"scopes": {STEERING: [MarkType.ACTION.value]}}
        ),
        system=True,
    )
    space.write(handle, Action(scope=STEERING, resource="x", action="x", result={"steering": 1}))
    with pytest.raises(RunDamaged, match="PrincipalMark"):
        run.queue()
