import random
from statistics import mean
from typing import Any

from hyperspace.tasks.babyai.domain import make
from hyperspace.tasks.babyai.items import HELD_OUT
from hyperspace.tasks.babyai.score import ACTIONS, PracticeRoom, Thing
from hyperspace.tasks.base import SPLITS
from hyperspace.tasks.shapes.outcome import Outcome
from tests.support.extras import needs_extra
from tests.support.tasks.episodes import actions_of, seed_agent

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


def test_the_practice_room_has_minigrids_rules() -> None:
    from hyperspace.tasks.babyai.levels import make_level  # it imports minigrid

    domain = make(None, {})
    rng = random.Random(1)
    successes = 0
    keep = domain.open(domain.items("train")[0])
    for item in domain.items("test")[:100]:
        room = _same_level(make_level(item.inputs))
        episode = domain.open(item)
        agent = seed_agent(domain)
        previous = ""
        while (observation := episode.observe()) is not None:
            assert room.observe(previous) == observation
            previous = agent.forward(observation)[0]
            if rng.random() < 0.4:
                previous = rng.choices(ACTIONS, (2, 2, 6, 4, 1, 4))[0]
            episode.act(previous)
            room.act(previous)
            assert room.success == bool(episode.outcome().score)
        assert room.success or room.steps == room.most
        successes += room.success
        episode.close()
    keep.close()
    assert successes > 20


def _same_level(level: Any) -> PracticeRoom:
    grid: dict[tuple[int, int], Thing | None] = {}
    for x in range(level.grid.width):
        for y in range(level.grid.height):
            cell = level.grid.get(x, y)
            if cell is None:
                grid[x, y] = None
            elif cell.type == "door":
                grid[x, y] = Thing(cell.color, "door", "locked" if cell.is_locked else "closed")
            elif cell.type != "wall":
                grid[x, y] = Thing(cell.color, cell.type)
    here = (int(level.agent_pos[0]), int(level.agent_pos[1]))
    return PracticeRoom(grid, here, level.agent_dir, level.mission, level.max_steps)
