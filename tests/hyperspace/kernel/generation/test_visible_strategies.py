"""What agents of a fleet see of each other, in a real space."""

import json
from pathlib import Path

from hyperspace.kernel.state.closings import ClosingOrder
from hyperspace.options.fleet import FleetTerms, Sharing
from tests.support.runs.some_fleet import SomeFleet, alike, folders

NOTED = {"task_agent.py": "X = 1  # a note\n", "meta_agent.py": "Y = 1\n"}


def test_a_round_shows_what_was_published_before_it(tmp_path: Path) -> None:
    with SomeFleet(tmp_path / "run", FleetTerms(members=alike(3))) as fleet:
        for agent in "abc":
            fleet.close(agent, 0.5)
        fleet.close("a", 0.7)
        fleet.close("b", 0.4)
        assert folders(fleet.look("c", 1)) == ["a_gen0", "b_gen0"]
        assert folders(fleet.look("c", 2)) == ["a_gen1", "b_gen0"]
        assert fleet.look("a", 0).strategies == ()


def test_an_agent_whose_budget_is_spent_stays_in_sight(tmp_path: Path) -> None:
    with SomeFleet(tmp_path / "run", FleetTerms(members=alike(2))) as fleet:
        fleet.close("a", 0.5)
        assert folders(fleet.look("b", 9)) == ["a_gen0"]


def test_islands_see_each_other_in_rounds_of_migration_alone(tmp_path: Path) -> None:
    terms = FleetTerms(
        members=alike(4, "north", "north", "south", "south"), schedule="islands", migrate_every=3
    )
    with SomeFleet(tmp_path / "run", terms) as fleet:
        for agent in "abcd":
            fleet.close(agent, 0.5)
        seen = {number: folders(fleet.look("a", number)) for number in range(1, 8)}
    everyone = ["b_gen0", "c_gen0", "d_gen0"]
    assert seen == {n: everyone if n in (3, 6) else ["b_gen0"] for n in range(1, 8)}


def test_a_cursor_decides_what_is_seen_however_much_was_closed_since(tmp_path: Path) -> None:
    terms = FleetTerms(members=alike(3), schedule="concurrent")
    with SomeFleet(tmp_path / "run", terms) as fleet:
        for agent, score in (("a", 0.5), ("c", 0.5), ("a", 0.6), ("a", 0.7), ("b", 0.5)):
            fleet.close(agent, score)
        seen = {cursor: folders(fleet.look("c", 1, cursor)) for cursor in (2, 3, 5)}
        fleet.close("b", 0.6)
        again = {cursor: folders(fleet.look("c", 1, cursor)) for cursor in (2, 3, 5)}
        latest = fleet.look("c", 1, 6)
        by_name = fleet.look("c", 1, {"a": 2, "b": 0, "c": 1})  # as earlier versions wrote it
    assert seen == again == {2: ["a_gen0"], 3: ["a_gen1"], 5: ["a_gen2", "b_gen0"]}
    assert folders(latest) == ["a_gen2", "b_gen1"]
    assert latest.cursor == 6
    assert folders(by_name) == ["a_gen1"]


def test_a_run_that_is_taken_up_again_knows_what_was_seen_before(tmp_path: Path) -> None:
    terms = FleetTerms(members=alike(2), schedule="concurrent")
    with SomeFleet(tmp_path / "run", terms) as fleet:
        for agent, score in (("a", 0.5), ("b", 0.5), ("a", 0.6)):
            fleet.close(agent, score)
        order = ClosingOrder(fleet.marks, fleet.context.archives)
        order.begin()
        assert order.count == 3
        closed = [[order.closed(agent, cursor) for agent in "ab"] for cursor in range(4)]
    assert closed == [[0, 0], [1, 0], [1, 1], [2, 1]]


def test_a_placebo_is_the_own_past_and_the_record_says_so(tmp_path: Path) -> None:
    terms = FleetTerms(members=alike(3), sharing=Sharing(arm="placebo"))
    with SomeFleet(tmp_path / "run", terms) as fleet:
        for agent in "abc":
            fleet.close(agent, 0.5)
        fleet.close("a", 0.7)
        visible = fleet.look("a", 2)
        own = [str(fleet.marks.strategy("a", number)[0]) for number in (1, 0)]
        told = json.loads(fleet.workspace("a", 2)["strategies/peer_1_gen1/metadata.json"])
    assert folders(visible) == ["peer_1_gen1", "peer_2_gen0"]
    assert list(visible.mark_ids) == own
    assert told["agent"] == "peer_1"
    assert [(source["folder"], source["agent"]) for source in visible.sources()] == [
        ("peer_1_gen1", "a"),
        ("peer_2_gen0", "a"),
    ]


def test_a_mark_that_fills_two_places_is_seen_once(tmp_path: Path) -> None:
    terms = FleetTerms(members=alike(3), sharing=Sharing(arm="placebo"))
    with SomeFleet(tmp_path / "run", terms) as fleet:
        for agent in "abc":
            fleet.close(agent, 0.5)
        visible = fleet.look("a", 1)
    assert folders(visible) == ["peer_1_gen0", "peer_2_gen0"]
    assert len(visible.mark_ids) == 1


def test_hidden_scores_are_absent_and_own_ones_stay(tmp_path: Path) -> None:
    terms = FleetTerms(members=alike(2), sharing=Sharing(what=("task",)))
    with SomeFleet(tmp_path / "run", terms) as fleet:
        for agent in "ab":
            fleet.close(agent, 0.5, NOTED)
        files = fleet.workspace("a", 1)
        truth = fleet.look("a", 1).sources()
    peer = {path: data for path, data in files.items() if path.startswith("strategies/")}
    assert set(peer) == {"strategies/b_gen0/metadata.json", "strategies/b_gen0/task_agent.py"}
    assert set(json.loads(peer["strategies/b_gen0/metadata.json"])) == {
        "agent",
        "model",
        "generation",
    }
    assert b"note" not in peer["strategies/b_gen0/task_agent.py"]
    assert "val_score" not in truth[0]
    assert json.loads(files["evals/gen_0/metadata.json"])["val_score"] == 0.5


def test_a_round_of_agents_at_their_own_pace_is_as_many_closings_as_agents(tmp_path: Path) -> None:
    terms = FleetTerms(members=alike(2), schedule="concurrent")
    with SomeFleet(tmp_path / "run", terms) as fleet:
        times: list[float] = []
        for agent in "aaab":
            times.append(fleet.context.clock(fleet.context.participants[0], 7))
            fleet.close(agent, 0.5)
    assert times == [0.0, 0.5, 1.0, 1.5]
