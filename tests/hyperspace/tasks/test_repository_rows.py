import statistics

import pytest

from hyperspace.tasks.base import Split
from hyperspace.tasks.repository_rows import (
    FEATURES,
    PLANTED_MARGIN,
    PLANTED_RULE,
    SEED_RULE,
    LinearRule,
    Vector,
    generate,
)
from hyperspace.tasks.table import Row

SEEDS = (0, 1, 2, 7, 1234)
LEGAL_WEIGHTS, LEGAL_THRESHOLD = (0.25, 1.8), (2.4, 4.2)
GROUP_MEANS = {
    "accept": (0.769, 0.805, 0.762, 0.700, 0.724),
    "reject": (0.526, 0.485, 0.453, 0.498, 0.418),
}
THIN_MEANS = (0.720, 0.775, 0.655, 0.600, 0.715)
GLOSSY_MEANS = (0.877, 0.517, 0.817, 0.877, 0.727)


def vector(row: Row) -> Vector:
    return tuple(row.inputs[feature] for feature in FEATURES)


def excess(rule: LinearRule, rows: tuple[Row, ...], label: str) -> list[float]:
    return sorted(rule.excess(vector(row)) for row in rows if row.label == label)


def means(rows: list[Row]) -> list[float]:
    return [statistics.mean(column) for column in zip(*map(vector, rows), strict=True)]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("split", ["train", "val"])
def test_the_seed_policy_misses_four_and_accepts_three_in_their_bands(
    seed: int, split: Split
) -> None:
    rows = generate(seed)[split]
    positive, negative = excess(SEED_RULE, rows, "accept"), excess(SEED_RULE, rows, "reject")
    assert (len(positive), len(negative)) == (10, 10)
    assert all(-0.29 <= x <= -0.12 for x in positive[:4])
    assert positive[4] >= 0.08
    assert all(0.06 <= x <= 0.13 for x in negative[-3:])
    assert negative[-4] < 0


@pytest.mark.parametrize("seed", SEEDS)
def test_the_seed_policy_gets_two_test_rows_wrong_by_little(seed: int) -> None:
    rows = generate(seed)["test"]
    positive, negative = excess(SEED_RULE, rows, "accept"), excess(SEED_RULE, rows, "reject")
    assert (len(positive), len(negative)) == (5, 5)
    assert -0.19 <= positive[0] <= -0.11
    assert positive[1] >= 0.08
    assert 0.01 <= negative[-1] <= 0.04
    assert negative[-2] < 0


@pytest.mark.parametrize("seed", SEEDS)
def test_a_rule_inside_the_legal_box_gets_every_row_right(seed: int) -> None:
    assert all(LEGAL_WEIGHTS[0] <= w <= LEGAL_WEIGHTS[1] for w in PLANTED_RULE.weights)
    assert LEGAL_THRESHOLD[0] <= PLANTED_RULE.threshold <= LEGAL_THRESHOLD[1]
    for rows in generate(seed).values():
        assert excess(PLANTED_RULE, rows, "accept")[0] >= PLANTED_MARGIN
        assert excess(PLANTED_RULE, rows, "reject")[-1] <= -PLANTED_MARGIN


@pytest.mark.parametrize("seed", SEEDS)
def test_group_means_are_near_those_of_the_published_rows(seed: int) -> None:
    rows = generate(seed)["train"]
    for label, wanted in GROUP_MEANS.items():
        assert means([r for r in rows if r.label == label]) == pytest.approx(wanted, abs=0.06)
    wrong = [r for r in rows if (SEED_RULE.excess(vector(r)) >= 0) != (r.label == "accept")]
    for label, wanted in (("accept", THIN_MEANS), ("reject", GLOSSY_MEANS)):
        assert means([r for r in wrong if r.label == label]) == pytest.approx(wanted, abs=0.065)


def test_ids_and_names_are_unique_and_the_order_says_nothing() -> None:
    rows = [row for split in generate(1).values() for row in split]
    assert len({row.id for row in rows}) == len({row.inputs["name"] for row in rows}) == 50
    orders = {tuple(row.label for row in generate(seed)["train"]) for seed in SEEDS}
    assert len(orders) == len(SEEDS)


def test_equal_generator_seeds_give_equal_rows_and_others_do_not() -> None:
    assert generate(4) == generate(4)
    assert generate(4) != generate(5)
