import random
from collections import Counter
from typing import Any

import pytest

from hyperspace.tasks.base import SPLITS, DomainDataError
from hyperspace.tasks.planted import SIZES, Example, Plan, PlantedTable
from hyperspace.tasks.registry import load
from hyperspace.tasks.shapes.documented import Documented
from hyperspace.tasks.shapes.renewable import Renewable

NAMES = ("pairwise", "accept")
ROOMS = [("pairwise", 0.42, 0.6), ("accept", 0.5, 0.65)]


def draw(is_test: bool, rng: random.Random) -> Example:
    x = round(rng.uniform(-1, 1), 6)
    return Example({"x": x, "is_test": is_test}, x)


def table(rows_seed: int = 1) -> PlantedTable:
    plan = Plan("tiny", ("plus", "minus"), draw, 0.1)
    return PlantedTable(plan, rows_seed, seed_files={}, task_files={})


def planted(domain: PlantedTable, split: Any) -> dict[str, str]:
    return {i.id: "plus" if i.inputs["x"] > 0 else "minus" for i in domain.items(split)}


def test_the_rule_itself_is_right_on_exactly_nine_of_ten_rows() -> None:
    domain = table()
    for split in SPLITS:
        assert domain.score(split, planted(domain, split)) == 0.9
        assert set(Counter(domain.labels(split).values()).values()) == {SIZES[split] // 2}
        assert min(abs(item.inputs["x"]) for item in domain.items(split)) >= 0.1


def test_a_fresh_validation_set_has_the_same_ceiling_and_no_old_row() -> None:
    domain = table()
    fresh = [domain.renewed(epoch) for epoch in range(4)]
    assert [renewed.score("val", planted(renewed, "val")) for renewed in fresh] == [0.9] * 4
    inputs = [str(item.inputs) for renewed in fresh for item in renewed.items("val")]
    inputs += [str(item.inputs) for split in ("train", "test") for item in domain.items(split)]
    assert len(set(inputs)) == len(inputs) == 4 * SIZES["val"] + SIZES["train"] + SIZES["test"]
    assert fresh[0].items("val") == domain.items("val")
    assert fresh[3].items("test") == domain.items("test")
    assert fresh[3].data_sha256 == domain.data_sha256


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_equal_seeds_give_equal_rows_and_bad_options_are_refused(name: str) -> None:
    assert load(name).data_sha256 == load(f"{name}?rows_seed=1").data_sha256
    assert load(name).data_sha256 != load(f"{name}?rows_seed=2").data_sha256
    with pytest.raises(DomainDataError, match="options: rows_seed"):
        load(f"{name}?noise=0")


@pytest.mark.parametrize("name", NAMES)
def test_agents_are_told_the_ceiling_and_that_it_is_a_stand_in(name: str) -> None:
    domain = load(name)
    assert isinstance(domain, Documented)
    assert isinstance(domain, Renewable)
    readme = domain.task_files()["README.md"].decode()
    assert ".90 is the ceiling" in readme
    assert "stand-in" in readme


@pytest.mark.parametrize(("name", "least", "most"), ROOMS)
def test_the_seed_has_wrong_weights_and_needs_no_model(
    name: str, least: float, most: float
) -> None:
    domain = load(name)
    space: dict[str, Any] = {"__name__": "task_agent"}
    exec(domain.seed_files()["task_agent.py"], space)  # noqa: S102 - our own file
    agent = space["TaskAgent"]("offline")
    assert domain.calls_model is False
    assert agent.forward(domain.smoke_item().inputs)[0] in set(domain.labels("train").values())
    for split in SPLITS:
        answers = {item.id: agent.forward(item.inputs)[0] for item in domain.items(split)}
        assert least <= domain.score(split, answers) <= most


@pytest.mark.parametrize("name", NAMES)
def test_the_seed_s_own_features_with_the_planted_weights_come_near_the_ceiling(name: str) -> None:
    domain = load(name)
    changes = {
        "pairwise": {
            '"tens of words": 5': '"tens of words": 20', '"citations": 2': '"citations": 80',
            '"hedges": 3': '"hedges": -70', '"repeats": 2': '"repeats": -100',
            '"wrong figures": 4': '"wrong figures": -200',
        },
        "accept": {
            '"no baseline": 1': '"no baseline": 80',
            'few participants": 8': 'few participants": 60', '"chance": 2': '"chance": 70',
            '"boasts": 6': '"boasts": 30', '"leak": 1': '"leak": 120',
            '"mismatch": 1': '"mismatch": 110', '"no limits": 9': '"no limits": 30',
            "MOST_TENTHS = 8": "MOST_TENTHS = 125", "PARTICIPANTS = 12": "PARTICIPANTS = 30",
            "MOST_CHANCE = 0.25": "MOST_CHANCE = 0.05",
        },
    }[name]  # fmt: skip
    source = domain.seed_files()["task_agent.py"].decode()
    for old, new in changes.items():
        assert old in source
        source = source.replace(old, new)
    space: dict[str, Any] = {"__name__": "task_agent"}
    exec(source, space)  # noqa: S102 - our own file
    agent = space["TaskAgent"]("offline")
    for split in SPLITS:
        answers = {item.id: agent.forward(item.inputs)[0] for item in domain.items(split)}
        assert 0.8 <= domain.score(split, answers) <= 0.9, split
        print(name, split, domain.score(split, answers))
