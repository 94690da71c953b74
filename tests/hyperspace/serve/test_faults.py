from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperspace.serve.behaviour import Latency, parse_latency
from hyperspace.serve.completing import REMEMBERED, Attempts, RequestKey
from hyperspace.serve.errors import BadFaults
from hyperspace.serve.faults import (
    IN_A_ROW,
    KINDS,
    FaultRule,
    Faults,
    fraction,
    parse_rate,
    read_fault_file,
)

REQUESTS = [f"{number:064x}" for number in range(4000)]


def test_each_fault_meets_its_share_of_requests() -> None:
    faults = Faults({"429": 0.1, "cut": 0.05})
    met = [faults.choose("m", request, 0) for request in REQUESTS]
    assert met.count("429") == pytest.approx(400, abs=60)
    assert met.count("cut") == pytest.approx(200, abs=45)
    assert met.count(None) > 3000


@given(st.permutations(REQUESTS[:30]), st.integers(0, 3))
def test_what_a_try_meets_depends_on_nothing_but_seed_request_and_try(
    order: list[str], seed: int
) -> None:
    rates = {"500": 0.3, "malformed": 0.3}
    in_order, shuffled = Faults(rates, seed=seed), Faults(dict(reversed(rates.items())), seed=seed)
    expected = {(r, t): in_order.choose("m", r, t) for r in REQUESTS[:30] for t in range(4)}
    assert {(r, t): shuffled.choose("m", r, t) for t in range(4) for r in order} == expected


def test_another_seed_is_another_choice() -> None:
    chosen = {
        tuple(Faults({"cut": 0.5}, seed=seed).choose("m", r, 0) for r in REQUESTS[:50])
        for seed in range(5)
    }
    assert len(chosen) == 5


def test_a_request_that_met_enough_faults_in_a_row_meets_no_other() -> None:
    faults = Faults({"hang": 1.0})
    assert [faults.choose("m", "r", attempt) for attempt in range(IN_A_ROW + 2)] == [
        *["hang"] * IN_A_ROW,
        None,
        None,
    ]


def test_a_script_is_played_to_all_clients_together_rule_by_rule() -> None:
    faults = Faults(
        rules=[FaultRule("429", first=2), FaultRule("cut", model="b*"), FaultRule("500")]
    )
    assert [faults.choose(model, "r", 0) for model in ("a", "b1", "a", "b2", "a")] == [
        "429",
        "429",
        "500",
        "cut",
        None,
    ]


def test_a_script_of_each_request_is_played_try_by_try() -> None:
    rules = [FaultRule("429", first=2, each=True), FaultRule("cut", each=True)]
    faults = Faults(rules=rules)
    for request in REQUESTS[:3]:
        met = [faults.choose("m", request, attempt) for attempt in range(4)]
        assert met == ["429", "429", "cut", None]


def test_tries_are_counted_by_key_and_request_until_there_is_an_answer() -> None:
    attempts = Attempts()
    first, other = RequestKey("key", "r"), RequestKey("other", "r")
    assert [attempts.begin(first), attempts.begin(first), attempts.begin(other)] == [0, 1, 0]
    attempts.answered(first)
    attempts.answered(first)
    assert [attempts.begin(first), attempts.begin(other)] == [0, 1]


@pytest.mark.long
def test_requests_that_nobody_waits_for_are_forgotten() -> None:
    attempts = Attempts()
    for number in range(REMEMBERED + 1):
        attempts.begin(RequestKey("key", str(number)))
    assert attempts.begin(RequestKey("key", "1")) == 1
    assert attempts.begin(RequestKey("key", "0")) == 0


def test_latency_is_between_its_ends_and_the_same_for_the_same_try() -> None:
    latency = Latency(50, 200)
    waits = [latency.of(1, request, 0) for request in REQUESTS]
    assert min(waits) < 0.06 and max(waits) > 0.19
    assert all(0.05 <= wait <= 0.2 for wait in waits)
    assert waits == [latency.of(1, request, 0) for request in REQUESTS]
    assert latency.of(1, REQUESTS[0], 1) != waits[0]


@given(st.integers(), st.text(), st.text(), st.integers(0))
def test_what_is_drawn_is_a_share(seed: int, purpose: str, request: str, attempt: int) -> None:
    assert 0 <= fraction(seed, purpose, request, attempt) < 1


@pytest.mark.parametrize("kind", [*KINDS, "429", "500", "529"])
def test_every_fault_can_be_asked_for(kind: str) -> None:
    assert parse_rate(f"{kind}=0.25") == (kind, 0.25)
    assert Faults({kind: 1.0}).choose("m", "r", 0) == kind


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nope=0.1", "no fault is called 'nope'; there are statuses"),
        ("200=0.1", "no fault is called '200'"),
        ("cut", "write it like cut=0.1"),
        ("cut=often", "write it like cut=0.1"),
    ],
)
def test_a_rate_that_makes_no_sense_says_what_does(text: str, said: str) -> None:
    with pytest.raises(BadFaults, match=said):
        parse_rate(text)


def test_numbers_that_do_not_fit_are_refused() -> None:
    for rates in ({"cut": 1.5}, {"cut": -0.1}, {"cut": float("nan")}, {"cut": 0.7, "500": 0.7}):
        with pytest.raises(BadFaults, match="rate"):
            Faults(rates)
    with pytest.raises(BadFaults, match="counts"):
        Faults(rules=[FaultRule("cut", first=-1)])
    with pytest.raises(BadFaults, match="counts"):
        Faults(in_a_row=-1)


def test_latency_is_read_as_a_range_or_a_number() -> None:
    assert parse_latency("50..200") == (50, 200)
    assert parse_latency("7.5") == (7.5, 7.5)
    for text in ("", "x", "1..", "9..1", "-1", "nan", "inf", "1..2..3"):
        with pytest.raises(BadFaults, match=r"write it like 50\.\.200"):
            parse_latency(text)


def test_a_fault_file_holds_rates_and_a_script(tmp_path: Path) -> None:
    path = tmp_path / "faults.toml"
    path.write_text(
        "in_a_row = 2\n[rates]\n429 = 0.5\n"
        '[[rules]]\nfault = "cut"\nfirst = 3\nmodel = "claude-*"\neach = true\n'
    )
    read = read_fault_file(path)
    assert (read.in_a_row, read.rates) == (2, {"429": 0.5})
    assert read.rules == (FaultRule("cut", 3, "claude-*", each=True),)


@pytest.mark.parametrize(
    "text", ["rates = 3", "[[rules]]\nfirst = 2", "nope = 1", "= broken", "\xff"]
)
def test_a_file_that_is_no_fault_file_says_what_one_looks_like(tmp_path: Path, text: str) -> None:
    path = tmp_path / "faults.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(BadFaults, match=r"cannot read the fault file .*expected TOML like"):
        read_fault_file(path)
    with pytest.raises(BadFaults, match="is missing"):
        read_fault_file(tmp_path / "missing.toml")
