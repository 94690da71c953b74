import subprocess
import sys
import time
from collections import Counter
from statistics import mean
from typing import Any

import pytest

from benchmarks.episodes.snake_reference import apples
from hyperspace.tasks.base import SPLITS, DomainDataError
from hyperspace.tasks.registry import load
from hyperspace.tasks.shapes.documented import Documented
from hyperspace.tasks.shapes.interactive import Interactive
from hyperspace.tasks.shapes.limited import Limited
from hyperspace.tasks.shapes.outcome import decode_outcome
from hyperspace.tasks.shapes.renewable import Renewable
from hyperspace.tasks.snake.boards import GAMES, REFERENCES, SIZES
from hyperspace.tasks.snake.domain import SnakeDomain, make
from hyperspace.tasks.snake.score import MOVES, SnakeGame
from tests.support.tasks.episodes import Scripted, load_source, play_out, predictions, seed_agent


@pytest.fixture(scope="module")
def domain() -> SnakeDomain:
    return make(None, {})


def seed_score(domain: SnakeDomain, split: Any) -> float:
    return domain.score(split, predictions(domain, split, lambda: seed_agent(domain)))


def test_it_has_the_shapes_of_an_episode(domain: SnakeDomain) -> None:
    for shape in (Interactive, Documented, Limited, Renewable):
        assert isinstance(domain, shape)


def test_each_size_has_equally_many_games(domain: SnakeDomain) -> None:
    for split in SPLITS:
        sizes = Counter(item.inputs["size"] for item in domain.items(split))
        assert sizes == dict.fromkeys(SIZES, GAMES[split] // 4)


def test_only_half_of_test_has_rocks_and_each_size_as_often(domain: SnakeDomain) -> None:
    rocky = [i for split in SPLITS for i in domain.items(split) if i.inputs["rocks"]]
    assert {item.id.partition("-")[0] for item in rocky} == {"test"}
    assert Counter(item.inputs["size"] for item in rocky) == dict.fromkeys(SIZES, 15)
    for item in rocky:
        middle = item.inputs["size"] // 2
        assert 2 <= len(item.inputs["rocks"]) <= 6
        assert [middle, middle] not in item.inputs["rocks"]


def test_equal_options_give_equal_games_and_another_seed_other_ones() -> None:
    hashes = [make(None, {"rows_seed": seed}).data_sha256 for seed in ("1", "1", "2")]
    assert hashes[0] == hashes[1] != hashes[2]
    assert make(None, {"cap": "10"}).data_sha256 not in hashes


def test_no_game_is_in_two_splits_or_epochs(domain: SnakeDomain) -> None:
    renewed = [domain.renewed(epoch) for epoch in (1, 2, 30)]
    games = [item for split in SPLITS for item in domain.items(split)]
    games += [item for other in renewed for item in other.items("val")]
    assert len({item.inputs["seed"] for item in games}) == len(games) == 200 + 3 * 60
    for other in renewed:
        assert other.data_sha256 == domain.data_sha256
        assert other.items("train") == domain.items("train")
        assert other.items("test") == domain.items("test")
    assert domain.renewed(0).items("val") == domain.items("val")


def test_ids_tell_nothing_of_the_board(domain: SnakeDomain) -> None:
    assert [item.id for item in domain.items("test")][:2] == ["test-0000", "test-0001"]


def test_the_cap_is_so_many_moves_a_cell() -> None:
    domain = make(None, {"cap": "10"})
    caps = {item.inputs["size"]: item.inputs["cap"] for item in domain.items("val")}
    assert caps == {6: 360, 8: 640, 10: 1000, 12: 1440}
    assert all(item.inputs["reference"] > 5 for s in SPLITS for item in domain.items(s))


def test_what_an_agent_is_told_hides_what_apples_fall_by(domain: SnakeDomain) -> None:
    item = domain.items("val")[0]
    observation = domain.open(item).observe()
    assert observation is not None
    assert observation.keys() == domain.smoke_item().inputs.keys()
    assert item.inputs["seed"] not in str(observation)


def test_the_seed_agent_has_room_to_get_better(domain: SnakeDomain) -> None:
    assert 0.3 < seed_score(domain, "train") < 0.45
    assert 0.3 < seed_score(domain, "val") < 0.45


def test_the_seed_agent_answers_the_smoke_item(domain: SnakeDomain) -> None:
    assert seed_agent(domain).forward(domain.smoke_item().inputs) == ("up", [])


def test_an_episode_depends_on_its_item_and_actions_alone(domain: SnakeDomain) -> None:
    item = domain.items("test")[7]
    first = domain.open(item)
    actions: list[str] = []

    class Noted:
        agent = seed_agent(domain)

        def forward(self, inputs: dict[str, Any]) -> tuple[str, list[Any]]:
            actions.append(self.agent.forward(inputs)[0])
            return actions[-1], []

    told, again = play_out(first, Noted()), domain.open(item)
    assert play_out(again, Scripted(*actions)) == told
    assert again.outcome() == first.outcome()
    assert again.draw() == first.draw()


def test_an_outcome_has_its_figures_at_any_time(domain: SnakeDomain) -> None:
    episode = domain.open(domain.items("train")[2])
    assert episode.outcome().reason == "0 apples in 0 moves, stopped early"
    play_out(episode, Scripted("oops"))
    outcome = episode.outcome()
    assert outcome.reason.endswith("apples in 5 moves, ran into the wall")
    assert outcome.details["malformed"] == outcome.details["steps"] == 5


def test_the_published_rules_score_as_the_host_does(domain: SnakeDomain) -> None:
    published = load_source(domain.task_files()["score.py"])
    texts = predictions(domain, "train", lambda: seed_agent(domain))
    for item in domain.items("train"):
        score = published["play"](item.inputs, seed_agent(domain))
        assert score == decode_outcome(texts[item.id]).score


def test_the_published_rules_need_the_standard_library_alone(domain: SnakeDomain) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", domain.task_files()["score.py"].decode()],
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_step_with_a_snake_of_31_cells_costs_the_host_under_30_microseconds() -> None:
    inputs: dict[str, Any] = {"size": 10, "cap": 10**6, "reference": 1.0, "rocks": [], "seed": "x"}
    game = SnakeGame(inputs)
    # The edge is a ring of 36 cells: a shorter snake goes round it for ever.
    lap = ["left"] * 9 + ["up"] * 9 + ["right"] * 9 + ["down"] * 9
    for action in ["right"] * 4 + ["down"] * 4 + lap:
        down, right = MOVES[action]
        if len(game.body) <= 30:
            game.food = (game.body[0][0] + down, game.body[0][1] + right)
        game.act(action)
    game.food = (5, 5)
    costs: list[float] = []
    for _ in range(20):
        start = time.process_time()
        for action in lap:
            assert game.observe() is not None
            game.act(action)
        costs.append((time.process_time() - start) / len(lap))
    assert len(game.body) == 31
    assert min(costs) < 30e-6


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"cap": "4"}, "Invalid enum value 4 - at `\\$.cap`; options: cap, rows_seed"),
        ({"rows_seed": "-1"}, "Expected `int` >= 0 - at `\\$.rows_seed`"),
        ({"size": "6"}, "unknown field `size`"),
    ],
)
def test_an_option_that_does_not_fit_is_told_what_does(options: dict[str, str], says: str) -> None:
    with pytest.raises(DomainDataError, match=says):
        make(None, options)


def test_it_is_loaded_by_its_name(domain: SnakeDomain) -> None:
    assert load("snake").data_sha256 == domain.data_sha256


@pytest.mark.long
@pytest.mark.parametrize("rocks", [False, True])
def test_references_are_what_the_player_gets_that_they_come_from(rocks: bool) -> None:
    counts = [apples(6, 3, rocks, index) for index in range(200, 300)]
    assert mean(counts) == pytest.approx(REFERENCES[3, rocks][6], abs=1.2)
