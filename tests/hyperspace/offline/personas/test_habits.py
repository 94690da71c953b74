"""Personas with habits, in real runs: what they do, and what they own up to."""

import pytest

from hyperspace.tracing.traces import read_trace
from tests.support.runs.played import Played, play

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def idlers(tmp_path_factory: pytest.TempPathFactory) -> Played:
    models = ("stuck?views=5&after=1", "doomloop?repeats=4&after=1")
    return play(tmp_path_factory.mktemp("idlers"), *models, generations=2)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Played:
    models = ("quitter?after=1", "complacent?after=1")
    return play(tmp_path_factory.mktemp("finished"), *models, generations=2)


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> Played:
    models = ("crasher?at=1&down=2&recover=peer", "bloater?factor=1.5")
    return play(tmp_path_factory.mktemp("crashed"), *models)


@pytest.fixture(scope="module")
def lost(tmp_path_factory: pytest.TempPathFactory) -> Played:
    models = ("crasher?at=2&down=1&recover=own", "crasher?at=1&recover=never&how=empty")
    return play(tmp_path_factory.mktemp("lost"), *models)


def arguments(played: Played, agent: str, generation: int) -> list[str]:
    """The arguments of every tool call of a generation."""
    calls = read_trace(played.path / agent / f"gen_{generation}" / "llm_calls.jsonl").calls
    return [made.function.arguments for call in calls for made in call.tool_calls or ()]


def test_one_that_is_stuck_reads_again_and_edits_nothing(idlers: Played) -> None:
    assert idlers.when("stuck", "spin") == [2] * 5
    assert idlers.code("stuck", 2) == idlers.code("stuck", 1) != idlers.code("stuck", 0)
    views = [text for text in arguments(idlers, "stuck", 2) if '"view"' in text]
    assert len(views) == 5
    assert len(set(views)) == 1


def test_one_in_a_doom_loop_repeats_an_edit_that_fails(idlers: Played) -> None:
    assert idlers.when("doomloop", "repeat") == [2] * 4
    edits = [text for text in arguments(idlers, "doomloop", 2) if '"str_replace"' in text]
    assert len(edits) == 4
    assert len(set(edits)) == 1
    last = idlers.calls("doomloop", 2)[-5]["messages"] + idlers.calls("doomloop", 2)[-1]["messages"]
    assert sum("was not found" in str(message["content"]) for message in last) >= 4
    assert idlers.code("doomloop", 2) == idlers.code("doomloop", 1)


def test_a_quitter_declares_itself_finished(finished: Played) -> None:
    assert finished.when("quitter", "give_up") == [2]
    assert finished.code("quitter", 2) == finished.code("quitter", 1)
    said = [call["response"] for call in finished.calls("quitter", 2)]
    assert "finished" in said[-2] + said[-1]


def test_a_complacent_one_notes_that_it_is_at_a_record(finished: Played) -> None:
    assert finished.when("complacent", "boast") == [2]
    assert "AT WORLD RECORD" in finished.code("complacent", 2)
    assert "AT WORLD RECORD" not in finished.code("complacent", 1)


def test_a_bloater_grows_by_its_factor_and_says_by_how_much(crashed: Played) -> None:
    grown = crashed.actions("bloater", "bloat")
    assert [generation for generation, _ in grown] == [1, 2, 3]
    sizes = [len(crashed.code("bloater", generation)) for generation in range(4)]
    for generation, action in grown:
        assert action.amount is not None
        assert 1.3 < sizes[generation] / sizes[generation - 1] < 1.8
        assert abs(sizes[generation] - sizes[generation - 1] - action.amount) < 60


def test_a_crasher_breaks_for_as_long_as_it_says_and_takes_a_peers_code(crashed: Played) -> None:
    assert crashed.when("crasher", "break") == [1, 2]
    assert [crashed.metadata("crasher", generation)["valid"] for generation in range(4)] == [
        True,
        False,
        False,
        True,
    ]
    ((generation, action),) = crashed.actions("crasher", "recover")
    assert (generation, action.peer) == (3, "bloater")
    assert action.peer_generation is not None
    assert crashed.code("crasher", 3) == crashed.code("bloater", action.peer_generation)


def test_a_crasher_takes_its_own_best_back(lost: Played) -> None:
    assert lost.when("crasher", "break") == [2]
    ((generation, action),) = lost.actions("crasher", "recover")
    assert (generation, action.peer, action.peer_generation) == (3, "", None)
    assert lost.code("crasher", 3) in (lost.code("crasher", 0), lost.code("crasher", 1))
    assert lost.metadata("crasher", 3)["valid"]


def test_one_that_never_recovers_answers_nothing_to_the_end(lost: Played) -> None:
    assert lost.when("crasher_b", "break") == [1, 2, 3]
    assert lost.actions("crasher_b", "recover") == []
    assert all(lost.metadata("crasher_b", generation)["fitness"] == 0 for generation in (1, 2, 3))
