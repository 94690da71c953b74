"""Personas and their peers, in real runs: what they do, and what they own up to."""

import pytest

from tests.support.runs.played import Played, play

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def takers(tmp_path_factory: pytest.TempPathFactory) -> Played:
    models = ("adopter?eagerness=1&picky=0", "inspired")
    return play(tmp_path_factory.mktemp("takers"), *models, domain="repo_quality", seed=1)


@pytest.fixture(scope="module")
def sharers(tmp_path_factory: pytest.TempPathFactory) -> Played:
    models = ("adopter?eagerness=1&share=0.5&picky=0", "adopter?eagerness=0")
    return play(tmp_path_factory.mktemp("sharers"), *models, domain="repo_quality", seed=3)


@pytest.fixture(scope="module")
def watchers(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return play(tmp_path_factory.mktemp("watchers"), "neglecter?stop_after=1", "reader")


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return play(tmp_path_factory.mktemp("twins"), "coincident", "coincident?delay=1")


def read_calls(played: Played, agent: str, generation: int) -> bool:
    """Whether a trace shows that an agent looked into strategies/."""
    last = played.calls(agent, generation)[-1]["messages"]
    return any("strategies/" in str(message.get("tool_calls")) for message in last)


def test_an_adopter_copies_what_it_says_it_took(takers: Played) -> None:
    adoptions = takers.actions("adopter", "adopt")
    assert adoptions
    for generation, action in adoptions:
        assert action.peer == "inspired"
        assert action.peer_generation is not None
        assert action.peer_generation < generation
        peers_code = takers.code("inspired", action.peer_generation)
        assert takers.code("adopter", generation) == peers_code
    generations = {event["generation"] for event in takers.result["adoptions"]}
    assert {generation for generation, _ in adoptions} >= generations


def test_an_inspired_one_says_the_same_in_other_words(takers: Played) -> None:
    ((generation, action),) = takers.actions("inspired", "inspire")
    assert action.peer == "adopter"
    assert action.peer_generation is not None
    own = {line.strip() for earlier in range(generation) for line in _lines(takers, earlier)}
    peers_code = takers.code("adopter", action.peer_generation)
    from_peer = {line.strip() for line in peers_code.splitlines()} - own
    assert not from_peer & {line.strip() for line in _lines(takers, generation)}
    as_good = takers.metadata("adopter", action.peer_generation)["val_score"]
    assert takers.metadata("inspired", generation)["val_score"] == as_good


def _lines(played: Played, generation: int) -> list[str]:
    return played.code("inspired", generation).splitlines()


def test_an_adopter_of_a_share_takes_that_much(sharers: Played) -> None:
    taken = sharers.actions("adopter", "recombine")
    assert taken
    assert all(action.amount and action.peer == "adopter_b" for _, action in taken)
    for generation, action in taken:
        assert action.peer_generation is not None
        copied = sharers.code("adopter_b", action.peer_generation)
        assert sharers.code("adopter", generation) != sharers.code("adopter", generation - 1)
        assert sharers.code("adopter", generation) != copied or action.amount == 1


def test_an_adopter_without_eagerness_takes_nothing(sharers: Played) -> None:
    assert sharers.actions("adopter_b", "adopt", "recombine") == []


def test_a_neglecter_looks_for_a_while_and_never_again(watchers: Played) -> None:
    assert set(watchers.when("neglecter", "read_peer")) == {1}
    assert watchers.when("neglecter", "ignore_peers") == [2, 3]
    looked = [
        generation for generation in (1, 2, 3) if read_calls(watchers, "neglecter", generation)
    ]
    assert looked == [1]


def test_a_reader_reads_every_time_and_uses_nothing(watchers: Played) -> None:
    assert {*watchers.when("reader", "read_peer")} == {1, 2, 3}
    assert all(read_calls(watchers, "reader", generation) for generation in (1, 2, 3))
    assert watchers.actions("reader", "adopt", "recombine", "inspire") == []
    named = [action for _, action in watchers.actions("reader", "read_peer") if action.peer]
    assert {action.peer for action in named} == {"neglecter"}


def test_coincident_ones_write_the_same_code_unread(twins: Played) -> None:
    for generation in (1, 2):
        assert twins.code("coincident_b", generation + 1) == twins.code("coincident", generation)
    assert twins.code("coincident", 1) != twins.code("coincident", 0)
    assert twins.code("coincident_b", 1) == twins.code("coincident_b", 0)
    assert twins.when("coincident", "coincide") == [1, 2, 3]
    assert twins.when("coincident_b", "coincide") == [2, 3]
    assert not any(
        read_calls(twins, agent, generation)
        for agent in ("coincident", "coincident_b")
        for generation in (1, 2, 3)
    )
    assert twins.result["adoptions"] == []
