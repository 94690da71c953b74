"""Pauses for a model are on record; one that comes a third time at one call says how to go on."""

from pathlib import Path

import pytest

from hyperspace.kernel.errors import RunPaused
from hyperspace.kernel.run.outages import SAME_STARTS, outages_on_record
from hyperspace.kernel.state.closings import incidents
from hyperspace.kernel.state.manifest import Outage
from hyperspace.messages import CallPlace
from hyperspace.models.base import MalformedReply, ModelError, ProviderDown, RepeatedlyMalformed
from hyperspace.options.fleet import FleetTerms
from hyperspace.spending.budget import Bound
from hyperspace.spending.ledger import Ledger
from hyperspace.spending.ledger_lines import Account
from tests.support.runs.some_fleet import SomeFleet, alike

PLACE = CallPlace("a", 2, "modify//1")
BOUND = Bound(prompt_tokens=1, completion_tokens=1, cost_usd=None)


def tried(fleet: SomeFleet, *others: str) -> None:
    """Write down that a start tried the call, and made others that were answered or not."""
    with Ledger(fleet.context.folder.ledger) as ledger:
        account = Account("a", 2, "modify", "modify//1", "m")
        name = ledger.try_reserve(account, BOUND)
        assert name is not None
        ledger.release(name)
        for call_id in others:
            ledger.try_reserve(account._replace(agent="b", call_id=call_id), BOUND)


def pause(fleet: SomeFleet, failure: ModelError, place: CallPlace = PLACE) -> str:
    """Let the run pause; returns what the person is told."""
    failure.place = place
    with pytest.raises(RunPaused) as caught, outages_on_record(fleet.context):
        raise RunPaused("it pauses", failure)
    return str(caught.value)


def unreadable(position: int) -> ModelError:
    failure = RepeatedlyMalformed("three times")
    failure.__cause__ = MalformedReply(f"cannot parse 'x{position}' at {position}")
    return failure


def test_the_same_complaint_in_three_starts_is_said_to_be_that(tmp_path: Path) -> None:
    with SomeFleet(tmp_path / "run", FleetTerms(members=alike(2))) as fleet:
        told = list[str]()
        for start in range(SAME_STARTS):
            tried(fleet, f"modify//{start}")
            told.append(pause(fleet, unreadable(start)))
        assert told[:-1] == ["it pauses"] * (SAME_STARTS - 1)
        assert "the call modify//1 to m failed 3 times over 3 starts" in told[-1]
        assert "cannot parse 'x2' at 2" in told[-1]
        assert (
            "the model answered no other call meanwhile, so it is probably the server" in told[-1]
        )
        assert f"hyperspace steer {fleet.context.folder.root} give-up a (" in told[-1]
        recorded = [each for each in incidents(fleet.marks) if isinstance(each, Outage)]
        assert [(each.tries, each.starts) for each in recorded] == [(1, 1), (2, 2), (3, 3)]
        assert recorded[-1].sentence == told[-1]


def test_another_complaint_in_between_begins_the_count_again(tmp_path: Path) -> None:
    with SomeFleet(tmp_path / "run", FleetTerms(members=alike(2))) as fleet:
        said = (500, 500, 503, 500, 500)
        for status in said:
            tried(fleet)
            assert pause(fleet, ProviderDown(f"failed (status {status}: x)")) == "it pauses"
        tried(fleet)
        assert " failed 3 times over 3 " in pause(fleet, ProviderDown("failed (status 500: y)"))


def test_what_cannot_be_given_up_is_not_offered(tmp_path: Path) -> None:
    with SomeFleet(tmp_path / "run", FleetTerms(members=alike(2))) as fleet:
        told = ""
        for _ in range(SAME_STARTS):
            tried(fleet)
            told = pause(fleet, ProviderDown("gone"), PLACE._replace(is_final=True))
        assert "a test: the call" in told
        assert "give-up" not in told


def test_a_call_that_was_only_held_back_is_not_said_to_fail(tmp_path: Path) -> None:
    with SomeFleet(tmp_path / "run", FleetTerms(members=alike(2))) as fleet:
        for _ in range(SAME_STARTS + 1):
            assert pause(fleet, ProviderDown("it is not asked for now")) == "it pauses"
