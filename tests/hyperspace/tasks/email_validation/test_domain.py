import re
from collections import Counter
from typing import Any

import pytest

from hyperspace.tasks.base import SPLITS, DomainDataError, Split
from hyperspace.tasks.email_validation.cases import MOST_OF_A_RULE
from hyperspace.tasks.email_validation.domain import EmailValidation, make
from hyperspace.tasks.registry import load
from hyperspace.tasks.shapes.documented import Documented
from hyperspace.tasks.shapes.renewable import Renewable

CAREFUL = re.compile(
    r"(?!\.)(?!.*\.\.)[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}(?<!\.)@"
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,}"
)


@pytest.fixture(scope="module")
def domain() -> EmailValidation:
    return make(None, {})


def answers(domain: EmailValidation, split: Split, source: str) -> dict[str, str]:
    space: dict[str, Any] = {"__name__": "task_agent"}
    exec(source, space)  # noqa: S102 - our own file
    agent = space["TaskAgent"]("offline")
    return {item.id: agent.forward(item.inputs)[0] for item in domain.items(split)}


def seed(domain: EmailValidation) -> str:
    return domain.seed_files()["task_agent.py"].decode()


def test_half_of_each_split_is_valid_and_no_rule_fills_the_rest(domain: EmailValidation) -> None:
    for split in SPLITS:
        assert Counter(domain.labels(split).values()) == {"valid": 60, "invalid": 60}
        rules = Counter(domain.judge(item.inputs["address"])[1] for item in domain.items(split))
        assert max(count for rule, count in rules.items() if rule) <= MOST_OF_A_RULE
        assert len(rules) >= 17


def test_labels_are_the_oracle_s(domain: EmailValidation) -> None:
    for split in SPLITS:
        for item in domain.items(split):
            assert domain.labels(split)[item.id] == domain.judge(item.inputs["address"])[0]


def test_no_address_stands_twice_over_splits_and_epochs(domain: EmailValidation) -> None:
    parts = [domain.items(split) for split in SPLITS]
    parts += [domain.renewed(epoch).items("val") for epoch in (1, 2, 3)]
    addresses = [item.inputs["address"] for part in parts for item in part]
    assert len(set(addresses)) == len(addresses) == 6 * 120
    assert len({item.id for part in parts for item in part}) == 6 * 120


def test_an_epoch_changes_validation_alone(domain: EmailValidation) -> None:
    fresh = domain.renewed(2)
    assert isinstance(domain, Renewable)
    assert domain.renewed(0).items("val") == domain.items("val")
    assert [fresh.items(split) == domain.items(split) for split in SPLITS] == [True, False, True]
    assert (fresh.name, fresh.data_sha256) == (domain.name, domain.data_sha256)
    assert fresh.renewed(1).items("val") == domain.renewed(1).items("val")


@pytest.mark.parametrize("rows_seed", ["1", "2", "3"])
def test_there_is_room_above_the_seed_and_above_a_careful_expression(rows_seed: str) -> None:
    domain = make(None, {"rows_seed": rows_seed})
    for split in SPLITS:
        assert 0.49 <= domain.score(split, answers(domain, split, seed(domain))) <= 0.62
        careful = {
            item.id: "valid" if CAREFUL.fullmatch(item.inputs["address"]) else "invalid"
            for item in domain.items(split)
        }
        assert 0.80 <= domain.score(split, careful) <= 0.94


def test_edits_of_bounds_alone_reach_the_goal_on_sealed_addresses(domain: EmailValidation) -> None:
    source = seed(domain)
    for old, new in {
        '"odd local characters": (0, 2)': '"odd local characters": (0, 0)',
        '"local dots at an end": (0, 1)': '"local dots at an end": (0, 0)',
        '"local double dots": (0, 1)': '"local double dots": (0, 0)',
        '"bare quotes": (0, 1)': '"bare quotes": (0, 0)',
        '"empty labels": (0, 2)': '"empty labels": (0, 0)',
        '"odd domain characters": (0, 2)': '"odd domain characters": (0, 0)',
        '"hyphens at an end": (0, 1)': '"hyphens at an end": (0, 0)',
        '"labels": (1, 99)': '"labels": (2, 99)',
        '"top characters": (0,': '"top characters": (2,',
        '"dots": (1, 99)': '"dots": (0, 99)',
        "LOWEST_CODE = 0": "LOWEST_CODE = 32",
        '"odd characters": (0, 2)': '"odd characters": (0, 0)',
        '"local characters": (0,': '"local characters": (1,',
    }.items():
        assert old in source
        source = source.replace(old, new)
    assert domain.score("test", answers(domain, "test", source)) >= 0.85


def test_equal_options_give_equal_data_and_each_option_changes_it(domain: EmailValidation) -> None:
    assert make(None, {}).data_sha256 == domain.data_sha256
    for options in ({"rows_seed": "2"}, {"two_labels": "false"}, {"letter_top": "0"}):
        assert make(None, options).data_sha256 != domain.data_sha256


def test_the_task_s_rules_are_shown_and_the_seed_needs_no_model(domain: EmailValidation) -> None:
    assert isinstance(domain, Documented)
    assert set(domain.task_files()) == {"README.md"}
    assert load("email_validation").calls_model is False
    assert answers(domain, "train", seed(domain))
    assert domain.judge(domain.smoke_item().inputs["address"]) == ("valid", "")


@pytest.mark.parametrize(
    ("options", "says"),
    [({"rows": "3"}, "options: two_labels"), ({"two_labels": "perhaps"}, "two_labels")],
)
def test_a_bad_option_is_refused(options: dict[str, str], says: str) -> None:
    with pytest.raises(DomainDataError, match=says):
        make(None, options)
