from collections.abc import Callable

import pytest

from hyperspace.tasks.nethack.domain import NetHack, minihack, nle
from hyperspace.tasks.nethack.items import BOXOBAN
from hyperspace.tasks.nethack.sokoban import draw_level
from tests.support.extras import needs_extra
from tests.support.tasks.episodes import actions_of, seed_agent

Make = Callable[[None, dict[str, str]], NetHack]

pytestmark = needs_extra("nethack", "nle", "gym", "minihack")


def scores(domain: NetHack) -> list[float]:
    """Scores of the seed on train, its games all open at once."""
    assert domain
    episodes = [domain.open(item) for item in domain.items("train")]
    for episode in episodes:
        actions_of(episode, seed_agent(domain))
    return [episode.outcome().score for episode in episodes]


def test_the_seed_solves_some_small_levels_and_not_most() -> None:
    values = scores(minihack(None, {}))
    assert set(values) == {0.0, 1.0}
    assert 0.15 < sum(values) / len(values) < 0.5


def test_the_seed_hardly_gets_on_in_the_whole_game() -> None:
    values = scores(nle(None, {}))
    assert 0 < sum(values) / len(values) < 0.05


@pytest.mark.parametrize("make", [minihack, nle])
def test_a_game_depends_on_its_item_and_actions_alone(make: Make) -> None:
    domain = make(None, {})
    item = domain.items("val")[1]
    other = domain.open(domain.items("val")[2])
    first = domain.open(item)
    again = make(None, {}).open(item)
    agent = seed_agent(domain)
    while (observation := first.observe()) is not None:
        assert again.observe() == observation
        action, _ = agent.forward(observation)
        first.act(action)
        again.act(action)
    assert again.observe() is None
    first.close()
    assert again.outcome() == first.outcome()
    again.close()
    other.close()


def test_malformed_actions_are_counted() -> None:
    domain = minihack(None, {})
    episode = domain.open(domain.items("train")[0])
    for action in ("", "x" * 1_000_000, "\ud800", " North "):
        episode.act(action)
    observation = episode.observe() or {}
    assert observation["prev_action"] == "north"
    assert observation["steps_left"] == 96
    assert episode.outcome().details["illegal"] == 3
    assert "Dlvl:1" in episode.draw()
    episode.close()


@pytest.mark.parametrize("task", BOXOBAN)
def test_the_plan_of_a_drawn_level_wins_the_game(task: str) -> None:
    domain = minihack(None, {})
    item = next(item for item in domain.items("test") if item.inputs["task"] == task)
    episode = domain.open(item)
    assert "fountain" in (episode.observe() or {})["instruction"]
    *plan, last = draw_level(task, item.inputs["seed"]).plan
    for action in plan:
        episode.act(action)
    assert episode.outcome().score == 0
    assert episode.observe() is not None
    episode.act(last)
    assert episode.observe() is None
    assert episode.outcome().score == 1
    episode.close()
