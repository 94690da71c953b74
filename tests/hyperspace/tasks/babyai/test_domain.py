from importlib.util import find_spec

import pytest

from hyperspace.tasks.babyai.domain import BabyAi, make
from hyperspace.tasks.babyai.items import FAMILIES
from hyperspace.tasks.babyai.score import describe
from hyperspace.tasks.base import SPLITS, DomainDataError, Split
from hyperspace.tasks.native.extras import require
from hyperspace.tasks.shapes.interactive import Interactive
from hyperspace.tasks.shapes.renewable import Renewable
from tests.support.tasks.episodes import seed_agent


def seeds(domain: BabyAi, split: Split) -> set[int]:
    return {item.inputs["seed"] for item in domain.items(split)}


def test_equal_options_give_equal_episodes() -> None:
    assert BabyAi(1).data_sha256 == BabyAi(1).data_sha256 != BabyAi(2).data_sha256
    assert [len(BabyAi(1).items(split)) for split in SPLITS] == [50, 50, 150]
    assert isinstance(BabyAi(1), Interactive)
    assert isinstance(BabyAi(1), Renewable)


def test_no_seed_is_in_two_splits_or_epochs() -> None:
    domain = BabyAi(1)
    sets = [seeds(domain, split) for split in SPLITS]
    sets += [seeds(domain.renewed(epoch), "val") for epoch in (1, 2)]
    assert sum(map(len, sets)) == 350 == len(set[int]().union(*sets))
    assert seeds(domain.renewed(0), "val") == seeds(domain, "val")
    assert seeds(domain.renewed(3), "test") == seeds(domain, "test")
    assert domain.renewed(3).data_sha256 == domain.data_sha256


def test_each_family_has_its_share_and_test_alone_has_held_out_missions() -> None:
    for split, each in zip(SPLITS, (10, 10, 30), strict=True):
        items = BabyAi(1).items(split)
        families = [item.inputs["family"] for item in items]
        assert {family: families.count(family) for family in FAMILIES} == dict.fromkeys(
            FAMILIES, each
        )
        held_out = [item for item in items if item.inputs["held_out"]]
        assert len(held_out) == (50 if split == "test" else 0)
    first = [item.inputs["family"] for item in BabyAi(1).items("train")[:5]]
    assert set(first) == set(FAMILIES), "the staged pass sees every family"


def test_bad_options_are_one_sentence() -> None:
    with pytest.raises(DomainDataError, match=r"babyai.*options: rows_seed"):
        make(None, {"levels": "3"})
    with pytest.raises(DomainDataError, match="rows_seed"):
        make(None, {"rows_seed": "-1"})


@pytest.mark.skipif(find_spec("minigrid") is not None, reason="minigrid is here")
def test_without_minigrid_the_command_is_named() -> None:
    with pytest.raises(DomainDataError, match="babyai needs minigrid: install"):
        make(None, {})


def test_the_view_is_one_fact_a_line() -> None:
    cells = dict.fromkeys(((r, f) for r in range(-3, 4) for f in range(7)), "")
    del cells[0, 0]
    cells |= {(0, 3): "wall", (2, 0): "wall", (-1, 0): "blue key", (-2, 0): "wall"}
    cells |= {(1, 2): "locked grey door", (-1, 1): "red ball"}
    assert describe(cells, "green box").splitlines() == [
        "carrying a green box",
        "a wall 3 steps forward",
        "a wall 2 steps right",
        "a blue key 1 step left",
        "a red ball 1 step left and 1 step forward",
        "a locked grey door 1 step right and 2 steps forward",
    ]
    assert describe({(0, 1): ""}) == "nothing"
    assert describe({(0, 2): "wall"}) == "nothing", "what lies before the wall is not seen"


def test_the_seed_walks_to_what_the_mission_names() -> None:
    agent = seed_agent(BabyAi(1))
    inputs = {"instruction": "pick up the red ball", "steps_left": 9}

    def action(observation: str) -> str:
        return agent.forward(inputs | {"observation": observation})[0]

    assert action("a red ball 2 steps left and 1 step forward") == "go forward"
    assert action("a wall 1 step left\na red ball 2 steps right") == "turn right"
    assert action("a red ball 1 step forward") == "pick up"
    assert action(BabyAi(1).smoke_item().inputs["observation"]) == "go forward"


def test_a_package_that_is_there_is_not_missed() -> None:
    require("babyai", ["msgspec"], "babyai")
