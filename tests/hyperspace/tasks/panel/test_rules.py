import itertools
import random
from collections.abc import Callable, Iterator

import pytest

from hyperspace.tasks.panel.kinds import Kind, Regime, draw_kinds, draw_point
from hyperspace.tasks.panel.rules import DEFECTS, ORDERS, BranchRule, RangeRule, Rule

RULE = BranchRule(w1=0.9, t1=0.4, w2=-1.2, t2=-0.3, below=True, u=0.45)
POINTS = [draw_point(random.Random(seed)) for seed in range(300)]


def function(rule: Rule) -> Callable[..., bool]:
    space: dict[str, Callable[..., bool]] = {}
    exec(rule.code("f"), space)  # noqa: S102 - our own function
    return space["f"]


def tokens(rule: Rule) -> list[str]:
    return rule.code("f").split()


def kinds(regime: Regime, defects: int = 2) -> tuple[Kind, ...]:
    return draw_kinds(10, defects, regime, random.Random(5))


def is_range(kind: Kind) -> bool:
    return isinstance(kind.true, RangeRule)


def repairs(seed: BranchRule, true: BranchRule) -> Iterator[BranchRule]:
    for field, value in true._asdict().items():
        if getattr(seed, field) != value:
            yield seed._replace(**{field: value})


def share_right(rule: Rule, true: Rule) -> float:
    return sum(rule.says_yes(point) == true.says_yes(point) for point in POINTS) / len(POINTS)


def test_a_rule_is_written_as_a_function_that_answers_alike() -> None:
    rules = [RULE, RangeRule(0.2, 0.5), *(kind.true for kind in kinds("mixed"))]
    for rule in rules:
        answers = [function(rule)(*point) for point in POINTS]
        assert answers == [rule.says_yes(point) for point in POINTS]


def test_a_rule_reads_as_a_person_would_write_it() -> None:
    assert RULE.code("kind_0") == (
        "def kind_0(a: float, b: float, c: float) -> bool:\n"
        "    return 4.0 + 0.9 * a > 4.4 if c < 0.45 else 4.0 - 1.2 * b > 3.7\n"
    )


@pytest.mark.parametrize("defect", DEFECTS)
def test_each_defect_is_one_token_and_changes_answers(defect: str) -> None:
    wrong = DEFECTS[defect](RULE, random.Random(1))
    pairs = zip(tokens(RULE), tokens(wrong), strict=True)
    assert sum(old != new for old, new in pairs) == 1
    assert any(RULE.says_yes(point) != wrong.says_yes(point) for point in POINTS)


@pytest.mark.parametrize("defects", [1, 2, 3])
def test_as_many_edits_as_defects_repair_a_branch_kind(defects: int) -> None:
    for kind in kinds("additive", defects):
        pairs = zip(tokens(kind.seed), tokens(kind.true), strict=True)
        assert sum(old != new for old, new in pairs) == defects


@pytest.mark.parametrize("order", ORDERS)
def test_numbers_and_operators_take_turns_among_a_rule_s_defects(order: tuple[str, ...]) -> None:
    are_numbers = [name in ("t1", "t2", "u") for name in order]
    assert sorted(order) == sorted(DEFECTS)
    assert all(one != next_ for one, next_ in itertools.pairwise(are_numbers))


def test_of_two_defects_each_repair_helps_by_itself_and_after_the_other() -> None:
    for kind in kinds("additive", 2):
        assert isinstance(kind.true, BranchRule)
        assert isinstance(kind.seed, BranchRule)
        for one in repairs(kind.seed, kind.true):
            assert share_right(kind.seed, kind.true) < share_right(one, kind.true) < 1.0
            assert list(repairs(one, kind.true)) == [kind.true]


@pytest.mark.parametrize(("regime", "traps"), [("additive", 0), ("mixed", 4), ("traps", 8)])
def test_a_regime_is_a_share_of_traps(regime: Regime, traps: int) -> None:
    assert sum(map(is_range, kinds(regime))) == traps


def test_the_interval_of_a_trap_lies_apart_from_the_true_one() -> None:
    for kind in filter(is_range, kinds("traps")):
        assert isinstance(kind.true, RangeRule)
        assert isinstance(kind.seed, RangeRule)
        assert kind.seed.low > kind.true.high or kind.seed.high < kind.true.low
        assert not any(kind.true.says_yes(p) and kind.seed.says_yes(p) for p in POINTS)
