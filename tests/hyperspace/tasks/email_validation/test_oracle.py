import random

import pytest

from hyperspace.tasks.email_validation.grammar import derive
from hyperspace.tasks.email_validation.mistakes import COMMON, TEST_ONLY, mistakes
from hyperspace.tasks.email_validation.oracle import RULES, Profile, broken_rule, skeleton

LABEL, LOCAL = "l" * 63, "p" * 64


@pytest.mark.parametrize(
    "address",
    [
        "a@b.co", "first.last@sub.mail.example", "user+tag@x.org", "1@123.com", f"{LOCAL}@b.co",
        f"a@{LABEL}.co", "a--b@c--d.org", '"a b"@c.org', '"a@b"@c.org', r'"a\"b"@c.org', '""@c.org',
        "a@[192.168.0.1]", "a@[IPv6:::1]", "a@[ipv6:1:2:3:4:5:6:7:8]", "!#$%&'*+-/=?^_`{|}~@b.co",
    ],
)  # fmt: skip
def test_valid_addresses_break_no_rule(address: str) -> None:
    assert broken_rule(address, Profile()) == ""


@pytest.mark.parametrize(
    ("address", "rule"),
    [
        ("", "at"), ("a.b.co", "at"), ("a@b.co\n", "character"), ("é@b.co", "character"),
        ("@b.co", "local-empty"), (f"{LOCAL}p@b.co", "local-length"), ("a@", "domain-empty"),
        (f"a@{'.'.join([LABEL] * 4)}.co", "length"), (".a@b.co", "local-dots"),
        ("a.@b.co", "local-dots"), ("a..b@c.co", "local-dots"), ("a@@b.co", "local-character"),
        ("a b@c.co", "local-character"), ('"a@b.co', "quote-open"), ('"a"b"@c.co', "quote-open"),
        ('"a"b@c.co', "quote-open"), ('"a\\@b.co', "quote-escape"), ("a@.b.co", "label-empty"),
        ("a@b..co", "label-empty"), ("a@b.co.", "label-empty"), (f"a@{LABEL}l.co", "label-length"),
        ("a@b_c.co", "label-character"), ("a@-b.co", "label-hyphen"), ("a@b-.co", "label-hyphen"),
        ("a@b", "label-count"), ("a@b.c", "top-length"), ("a@b.123", "top-digits"),
        ("a@[1.2.3.4", "literal-open"), ("a@[::1]", "literal-tag"), ("a@[1.2.3]", "literal-ipv4"),
        ("a@[1.2.3.256]", "literal-ipv4"), ("a@[1.2.3.04]", "literal-ipv4"),
        ("a@[IPv6:1::2::3]", "literal-ipv6"), ("a@[IPv6:fe80::1%1]", "literal-ipv6"),
    ],
)  # fmt: skip
def test_each_mistake_is_named_by_its_rule(address: str, rule: str) -> None:
    assert rule in RULES
    assert broken_rule(address, Profile()) == rule


@pytest.mark.parametrize(
    ("address", "switch"),
    [("a@b", "two_labels"), ("a@b.c", "long_top"), ("a@b.123", "letter_top")],
)
def test_a_switch_of_the_profile_drops_its_rule(address: str, switch: str) -> None:
    profile = Profile(**({"two_labels": True} | {switch: False}))
    if switch == "two_labels":
        profile = Profile(two_labels=False, long_top=False)
    assert broken_rule(address, profile) == ""


def test_the_oracle_agrees_with_whatever_is_derived() -> None:
    rng = random.Random(5)
    refused = [text for _ in range(5000) if broken_rule(text := derive(rng).text(), Profile())]
    assert not refused


def test_every_operator_breaks_most_of_what_it_is_given() -> None:
    rng = random.Random(5)
    for operator in mistakes(is_test=True):
        texts = [operator(derive(rng), rng) for _ in range(100)]
        broken = [text for text in texts if broken_rule(text, Profile())]
        assert len(broken) >= 60, operator.__name__
    assert (len(COMMON), len(TEST_ONLY)) == (22, 4)


@pytest.mark.long
def test_addresses_of_one_skeleton_break_the_same_rule() -> None:
    """What counts as a near-duplicate has the same answer, whatever letters it is written in."""
    rng = random.Random(11)
    forms = dict[str, str]()
    for turn in range(20_000):
        operator = mistakes(True)[turn % len(mistakes(True))]
        parts = derive(rng)
        for text in (parts.text(), operator(parts, rng)):
            rule = broken_rule(text, Profile())
            assert forms.setdefault(skeleton(text), rule) == rule, text


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("anna@mail.com", "Otto@Post.org", True),
        ("a1@b.co", "z9@x.io", True),
        ("a@[IPv6:::A]", "b@[ipv6:::a]", True),
        ("a@[1.2.3.255]", "a@[1.2.3.256]", False),
        ("anna@mail.com", "anna@mail.info", False),
        ("a@b.co", "\u017f@b.co", False),
    ],
)
def test_near_duplicates_are_told_by_their_skeleton(one: str, other: str, is_same: bool) -> None:
    assert (skeleton(one) == skeleton(other)) is is_same
