from importlib.util import find_spec

import pytest

from hyperspace.tasks.base import SPLITS, DomainDataError
from hyperspace.tasks.nethack.actions import Key, presses
from hyperspace.tasks.nethack.domain import NetHack, minihack, nle
from hyperspace.tasks.nethack.items import SMALL_TASKS, WHOLE_GAME
from hyperspace.tasks.nethack.progress import progression
from hyperspace.tasks.shapes.interactive import Interactive
from hyperspace.tasks.shapes.renewable import Renewable
from tests.support.tasks.episodes import seed_agent

KEYS = [
    Key("MORE", 13),
    Key("N", ord("k")),
    Key("N", ord("K")),
    Key("SE", ord("n")),
    Key("QUIT", 241),
    Key("SAVE", ord("S")),
    Key("PICKUP", ord(",")),
    Key("APPLY", ord("a")),
    Key("NUM_1", ord("1")),
    Key("NUM_2", ord("2")),
]


def small(rows_seed: int = 1) -> NetHack:
    return NetHack("minihack", SMALL_TASKS, rows_seed)


def whole() -> NetHack:
    return NetHack("nle", [WHOLE_GAME], 1)


def test_equal_options_give_equal_games() -> None:
    assert small().data_sha256 == small().data_sha256
    assert small().data_sha256 != small(2).data_sha256
    assert [len(small().items(split)) for split in SPLITS] == [40, 40, 80]
    assert [len(whole().items(split)) for split in SPLITS] == [5, 5, 10]
    assert isinstance(small(), Interactive)
    assert isinstance(small(), Renewable)


def test_no_seed_is_in_two_splits_or_epochs() -> None:
    domain = small()
    items = [item for split in SPLITS for item in domain.items(split)]
    items += [item for epoch in (1, 2) for item in domain.renewed(epoch).items("val")]
    assert len({item.inputs["seed"] for item in items}) == len(items) == 240
    assert domain.renewed(0).items("val") == domain.items("val")
    assert domain.renewed(1).items("test") == domain.items("test")
    assert {item.inputs["task"] for item in domain.items("train")[:8]} == set(SMALL_TASKS)


def test_an_action_is_a_name_or_what_is_typed() -> None:
    plain = presses(KEYS, typed=False)
    assert plain == {
        "more": (0,),
        "north": (1,),
        "far north": (2,),
        "southeast": (3,),
        "pickup": (6,),
        "apply": (7,),
        "num_1": (8,),
        "num_2": (9,),
    }
    typed = presses(KEYS, typed=True)
    assert plain.items() <= typed.items()
    assert typed["a"] == (7,)
    assert typed["K"] == (2,)
    assert typed["21"] == (9, 8)
    assert "S" not in typed, "saving ends the game"


def test_progression_is_the_better_of_depth_and_experience() -> None:
    assert progression(1, 1) == 0
    assert progression(2, 1) == 0.0154
    assert progression(10, 1) == 0.1256
    assert progression(50, 30) == 0.8068 == progression(53, 1)
    assert progression(3, 12) == 0.3326
    assert progression(1, 30) == 0.7805
    values = [progression(depth, 1) for depth in range(1, 51)]
    assert values == sorted(values)
    assert len(set(values)) == 50


@pytest.mark.parametrize("make", [minihack, nle])
def test_bad_options_are_one_sentence(make: object) -> None:
    assert callable(make)
    with pytest.raises(DomainDataError, match="options: rows_seed"):
        make(None, {"tasks": "1"})
    if find_spec("nle") is None:
        with pytest.raises(DomainDataError, match=r"needs nle, gym.*: install"):
            make(None, {})


def test_the_seed_walks_to_the_stairs() -> None:
    domain = small()
    agent = seed_agent(domain)
    assert agent.forward(domain.smoke_item().inputs)[0] == "east"
    walled = domain.smoke_item().inputs | {"map": ["", " |.@|", "", "", ""]}
    assert agent.forward(walled)[0] == "west"
