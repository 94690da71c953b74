"""What the principal asked takes effect at a look, or is told to have come too late."""

from pathlib import Path

import anyio
import msgspec
import pytest

from hyperspace.kernel.events import Event, Notice
from hyperspace.kernel.run.steering import look, wait_to_go_on
from hyperspace.kernel.state.manifest import TEST
from hyperspace.kernel.state.steering.records import (
    ForkAgent,
    PauseRun,
    PinParent,
    ResumeRun,
    SayTo,
)
from hyperspace.options.fleet import FleetTerms
from hyperspace.runs.steering import steering_of
from tests.support.runs.some_fleet import SomeFleet, alike


def test_what_is_about_generations_comes_too_late_at_the_final_test(tmp_path: Path) -> None:
    with SomeFleet(tmp_path / "run", FleetTerms(members=alike(2))) as fleet:
        fleet.close("a", 0.5)
        principal = fleet.space.principal()
        principal.write(ForkAgent(agent="a", generation=0, name="wren", model="offline/tinker"))
        principal.write(PinParent(agent="a", generation=0))
        principal.write(SayTo(agent="all", text="hello"))
        principal.write(PauseRun())
        assert look(fleet.context, fleet.who("b"), 3)
        look(fleet.context, fleet.who("a"), TEST)
        marks = steering_of(fleet.marks).marks
        assert [mark.effect for mark in marks] == ["too late", "too late", "applied", "applied"]
        assert "wren" not in fleet.context.config.agents


@pytest.mark.anyio
async def test_agents_at_their_own_pace_that_all_wait_take_no_working_time(tmp_path: Path) -> None:
    terms = FleetTerms(members=alike(2), schedule="concurrent")
    with SomeFleet(tmp_path / "run", terms) as fleet:
        both, told = anyio.Event(), list[Event]()

        def observe(event: Event) -> None:
            told.append(event)
            if len(told) == 2:
                both.set()

        async def play() -> None:
            with fleet.ledger.at_work():
                await wait_to_go_on(context)

        context = msgspec.structs.replace(fleet.context, emit=observe)
        fleet.space.principal().write(PauseRun())
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(play)
            tasks.start_soon(play)
            await both.wait()
            paused_s = fleet.ledger.worked_s()
            await anyio.sleep(0.01)
            assert fleet.ledger.worked_s() == paused_s
            fleet.space.principal().write(ResumeRun())
        assert all(isinstance(event, Notice) for event in told)
        after_s = fleet.ledger.worked_s()
        await anyio.sleep(0.01)
        assert fleet.ledger.worked_s() > after_s
