from statistics import mean

from domains.babyai.domain import make
from domains.babyai.items import HELD_OUT
from domains.base import SPLITS
from domains.shapes.outcome import Outcome
from tests.support.episodes import actions_of, seed_agent
from tests.support.extras import needs_extra

pytestmark = needs_extra("babyai", "minigrid")


def test_the_seed_has_room_and_the_expert_none() -> None:
    domain = make(None, {})

    keep = domain.open(domain.items("train")[0])
    for split in SPLITS:
        outcomes: list[Outcome] = []
        for item in domain.items(split):
            episode = domain.open(item)
            mission = (episode.observe() or {})["instruction"]
            assert any(name in mission for name in HELD_OUT) == item.inputs["held_out"]
            actions_of(episode, seed_agent(domain))
            outcomes.append(episode.outcome())
        assert 0.2 < mean(outcome.score for outcome in outcomes) < 0.45
        assert all(outcome.details["expert_steps"] for outcome in outcomes)
    keep.close()


def test_an_episode_depends_on_its_item_and_actions_alone() -> None:
    item = make(None, {}).items("val")[3]
    first, again = make(None, {}).open(item), make(None, {}).open(item)
    actions = actions_of(first, seed_agent(make(None, {})))
    for action in actions:
        assert again.observe() is not None
        again.act(action)
    assert again.observe() is None
    assert again.outcome() == first.outcome()
    again.close()


def test_malformed_actions_are_counted_and_go_forward() -> None:
    episode = make(None, {}).open(make(None, {}).items("train")[2])
    for action in ("", "x" * 1_000_000, "\ud800", "Turn Left "):
        episode.act(action)
    observation = episode.observe() or {}
    assert observation["prev_action"] == "turn left"
    assert episode.outcome().details["illegal"] == 3
    assert episode.outcome().details["steps"] == 4
    assert observation["instruction"] in episode.draw()
    episode.close()
