import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from hyperspace.tasks.base import SPLITS, Domain, DomainDataError, Split
from hyperspace.tasks.panel.domain import make, seed_agent
from hyperspace.tasks.panel.kinds import Kind, draw_kinds
from hyperspace.tasks.panel.rows import MARGIN, Sharing, draw_rows
from hyperspace.tasks.panel.rules import Point
from hyperspace.tasks.registry import load
from hyperspace.tasks.table import TableDomain

KINDS = draw_kinds(10, 2, "mixed", random.Random(3))


def agent(source: str) -> Any:
    space: dict[str, Any] = {"__name__": "task_agent"}
    exec(source, space)  # noqa: S102 - our own file
    return space["TaskAgent"]("offline")


def score(domain: Domain, split: Split, source: str) -> float:
    answers = agent(source)
    return domain.score(split, {i.id: answers.forward(i.inputs)[0] for i in domain.items(split)})


def seed(domain: Domain) -> str:
    return domain.seed_files()["task_agent.py"].decode()


def repaired() -> str:
    return seed_agent([Kind(kind.name, kind.true, kind.true) for kind in KINDS])


def accuracy(
    source: str,
    split: Split,
    sharing: Sharing,
    rows_seed: int = 1,
    kinds: Sequence[Kind] = KINDS,
) -> float:
    rows = draw_rows(kinds, 40, sharing, rows_seed)[split]
    answers = agent(source)
    return sum(answers.forward(row.inputs)[0] == row.label for row in rows) / len(rows)


def test_forty_rows_a_kind_in_train_and_fixed_numbers_of_fresh_ones() -> None:
    rows = draw_rows(KINDS, 40, "helps", 1)
    assert [len(rows[split]) for split in SPLITS] == [400, 200, 1000]
    for split in SPLITS:
        counts = Counter((row.inputs["kind"], row.label) for row in rows[split])
        assert len(set(counts.values())) == 1
        assert len(counts) == 20


def test_no_row_lies_near_a_border_of_its_rule() -> None:
    true = {kind.name: kind.true for kind in KINDS}
    for rows in draw_rows(KINDS, 40, "helps", 1).values():
        for row in rows:
            a, b, c = (row.inputs[name] for name in "abc")
            assert true[row.inputs["kind"]].margin(Point(a, b, c)) >= MARGIN


@pytest.mark.parametrize("split", SPLITS)
def test_a_repaired_agent_is_always_right_where_sharing_helps(split: Split) -> None:
    assert accuracy(repaired(), split, "helps") == 1.0


@pytest.mark.parametrize("sharing", ["helps", "neutral", "harms"])
def test_train_is_the_same_whatever_the_dial(sharing: Sharing) -> None:
    helps = draw_rows(KINDS, 40, "helps", 1)["train"]
    assert draw_rows(KINDS, 40, sharing, 1)["train"] == helps


@pytest.mark.parametrize("split", ["val", "test"])
def test_under_neutral_repairs_are_worth_nothing_on_fresh_rows(split: Split) -> None:
    seeds = range(5)
    means = [
        sum(accuracy(source, split, "neutral", rows_seed) for rows_seed in seeds) / len(seeds)
        for source in (repaired(), seed_agent(KINDS))
    ]
    assert means == pytest.approx([0.5, 0.5], abs=0.05)


def test_under_harms_repairs_help_on_validation_and_cost_on_test() -> None:
    assert accuracy(repaired(), "val", "harms") == 1.0
    assert accuracy(seed_agent(KINDS), "test", "harms") == 1.0
    assert accuracy(repaired(), "test", "harms") == 0.0


@pytest.mark.parametrize("name", ["t1", "t2", "w1", "w2"])
def test_under_harms_each_repair_costs_on_test(name: str) -> None:
    kinds = draw_kinds(10, 2, "additive", random.Random(3))
    rules = [kind.seed._replace(**{name: getattr(kind.true, name)}) for kind in kinds]
    repairs = [Kind(kind.name, kind.true, rule) for kind, rule in zip(kinds, rules, strict=True)]
    assert accuracy(seed_agent(kinds), "test", "harms", kinds=kinds) == 1.0
    assert accuracy(seed_agent(repairs), "test", "harms", kinds=kinds) < 0.95


def test_the_seed_agent_is_little_better_than_chance() -> None:
    domain = make(None, {})
    assert 0.45 < score(domain, "test", seed(domain)) < 0.6


def test_the_seed_agent_answers_the_smoke_item_without_a_model() -> None:
    domain = make(None, {})
    prediction, history = agent(seed(domain)).forward(domain.smoke_item().inputs)
    assert prediction in ("yes", "no")
    assert (history, domain.calls_model) == ([], False)


def test_of_the_kinds_that_are_not_faulty_the_seed_agent_knows_the_rule() -> None:
    domain, other = (make(None, {"faulty": "2", "rows_seed": seed}) for seed in ("1", "2"))
    wrong = {kind: share for kind, share in right_by_kind(domain).items() if share < 1.0}
    assert len(wrong) == 2
    assert max(wrong.values()) < 0.75
    assert wrong.keys() != {kind for kind, share in right_by_kind(other).items() if share < 1.0}
    every = make(None, {})
    assert domain.items("train") == every.items("train"), "the items are the same"
    assert make(None, {"faulty": "50"}).seed_files() == every.seed_files()


def right_by_kind(domain: TableDomain) -> dict[str, float]:
    """Share of the train items of each kind that the seed agent has right."""
    labels, agent_ = domain.labels("train"), agent(seed(domain))
    right: dict[str, list[bool]] = {}
    for item in domain.items("train"):
        said = agent_.forward(item.inputs)[0] == labels[item.id]
        right.setdefault(str(item.inputs["kind"]), []).append(said)
    return {kind: sum(each) / len(each) for kind, each in right.items()}


def test_rows_of_their_own_for_each_run_seed_and_the_same_for_all_its_runs() -> None:
    first, other = (load("panel?rows_seed=run", run_seed=number) for number in (3, 4))
    assert first.data_sha256 == load("panel?rows_seed=3").data_sha256 != other.data_sha256
    assert first.seed_files() != other.seed_files()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"kinds": "0"}, "Expected `int` >= 1 - at `\\$.kinds`"),
        ({"regime": "odd"}, "Invalid enum value 'odd' - at `\\$.regime`"),
        ({"rows": "1"}, "unknown field `rows`; options: kinds, defects, faulty, per, rows_seed"),
        ({"rows_seed": "x"}, "at `\\$.rows_seed`"),
    ],
)
def test_an_option_that_does_not_fit_is_told_what_does(options: dict[str, str], says: str) -> None:
    with pytest.raises(DomainDataError, match=says):
        make(None, options)
