import json
from typing import Any

import pytest

from hyperspace.tasks.base import SPLITS, DomainDataError, Item
from hyperspace.tasks.registry import load
from hyperspace.tasks.shapes.documented import Documented
from hyperspace.tasks.shapes.limited import Limited
from hyperspace.tasks.shapes.renewable import Renewable
from hyperspace.tasks.shapes.verified import Verified
from hyperspace.tasks.streams import stream
from hyperspace.tasks.vx.domain import Vx, make
from hyperspace.tasks.vx.kernels import KERNELS, descent, match, prefix, worth

EXAMPLES = {
    "descent": {"walkers": 8, "depth": 3, "rounds": 5},
    "prefix": {"words": 16},
    "match": {"words": 40, "patterns": 8},
}


@pytest.fixture(scope="module")
def domain() -> Vx:
    return make(None, {})


@pytest.fixture(scope="module")
def seed(domain: Vx) -> Any:
    space: dict[str, Any] = {"__name__": "task_agent"}
    exec(domain.seed_files()["task_agent.py"], space)  # noqa: S102 - our own file
    return space["TaskAgent"]("offline")


def smallest(domain: Vx) -> list[Item]:
    """One train item of each kernel."""
    return [domain.items("train")[index] for index in (0, 2, 4)]


def test_kernels_compute_what_they_say() -> None:
    assert prefix([1, 2, 2**32 - 1, 5], {"words": 4}) == [1, 3, 2, 7]
    text = [1, 2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5, 6, 7, 8, 9]
    patterns = [2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9]
    assert match(text + patterns, {"words": 17, "patterns": 2}) == [1, 17]
    v = 7 ^ 10
    for m, c, s in ((5, 0x2545F491, 13), (9, 0x9E3779B1, 7), (17, 0x85EBCA6B, 16)):
        v = (v * m + c) % 2**32
        v ^= v >> s
    assert descent([10, 0, 0, 0, 0, 7], {"walkers": 1, "depth": 2, "rounds": 1}) == [v]


@pytest.mark.parametrize("name", list(EXAMPLES))
def test_a_drawn_case_holds_the_results_at_the_place_that_the_layout_tells(name: str) -> None:
    sizes = EXAMPLES[name]
    case = KERNELS[name].draw(sizes, stream("vx", 1, "a test"))
    assert case.expected == KERNELS[name].reference(case.memory, sizes)
    assert case.first in KERNELS[name].layout(sizes).values()
    assert len(case.memory) >= case.first + len(case.expected)
    assert len(case.memory) == KERNELS[name].length(sizes)
    assert max(case.memory) < 2**32


def test_patterns_occur_and_do_not() -> None:
    sizes = {"words": 256, "patterns": 32}
    results = KERNELS["match"].draw(sizes, stream("vx", 1, "a test")).expected
    assert 12 <= results.count(256) <= 18


def test_the_ladder_of_the_first_kernel_is_worth_what_it_is_worth() -> None:
    sizes = {"walkers": 128, "depth": 6, "rounds": 12}
    ladder = [26_766, 24_072, 4_716, 931, 784, 560]
    worths = [worth(KERNELS["descent"], sizes, cycles) for cycles in ladder]
    assert worths == pytest.approx([0.0, 0.027, 0.449, 0.868, 0.913, 1.0], abs=0.001)
    assert worth(KERNELS["descent"], sizes, 200_000) == 0.0


@pytest.mark.long
def test_the_seed_is_right_and_slow(domain: Vx, seed: Any) -> None:
    for item in smallest(domain):
        outcome = domain.verify(item, seed.forward(item.inputs)[0])
        assert 0.005 < outcome.score < 0.06, outcome.reason
        assert outcome.reason == f"right in {outcome.details['cycles']} cycles"
    assert domain.verify(domain.smoke_item(), seed.forward(domain.smoke_item().inputs)[0]).score > 0


def test_a_wrong_word_is_worth_nothing_and_is_told(domain: Vx) -> None:
    outcome = domain.verify(domain.items("train")[2], '{"program": []}')
    assert outcome.score == 0.0
    assert outcome.reason.startswith("run 1: wrong are 511 of 512 words, the first at 1")


@pytest.mark.parametrize("text", ["", "nonsense", "9" * 10_000_000, "[" * 1_000_000])
def test_what_is_no_program_is_worth_nothing(domain: Vx, text: str) -> None:
    outcome = domain.verify(domain.items("train")[0], text)
    assert outcome.score == 0.0
    assert outcome.reason.startswith("the answer is")
    assert len(outcome.reason) < 200


def test_a_store_of_known_results_fails_on_the_host_s_inputs(domain: Vx) -> None:
    item = domain.items("train")[2]
    case = KERNELS["prefix"].draw(item.inputs["sizes"], stream("vx", 1, f"inputs/{item.id}"))
    stored = [
        {"l": [["li", 2, word], ["li", 3, index]]} if half == 0 else {"w": [["st", 3, 2]]}
        for index, word in enumerate(case.expected)
        for half in (0, 1)
    ]
    outcome = domain.verify(item, json.dumps({"program": stored}))
    assert outcome.reason.startswith("run 1: wrong are 512")


@pytest.mark.long
def test_the_published_scorer_is_the_host_s_on_inputs_of_its_own(domain: Vx, seed: Any) -> None:
    assert isinstance(domain, Documented)
    space: dict[str, Any] = {"__name__": "score"}
    text = domain.task_files()["score.py"].decode()
    assert "from domains" not in text
    exec(text, space)  # noqa: S102 - our own file
    straight = [smallest(domain)[index] for index in (0, 1)]
    for item in straight:
        program = seed.forward(item.inputs)[0]
        assert space["score"](item.inputs, program) == domain.verify(item, program).score > 0
        assert space["score"](item.inputs, program[:-3]) == 0.0
    loops = smallest(domain)[2]
    assert space["score"](loops.inputs, seed.forward(loops.inputs)[0]) > 0


def test_sizes_of_all_splits_and_epochs_are_distinct(domain: Vx) -> None:
    assert isinstance(domain, Renewable)
    parts = [domain.items(split) for split in SPLITS]
    parts += [domain.renewed(epoch).items("val") for epoch in range(1, 118)]
    items = [item for part in parts for item in part]
    asked = [json.dumps([i.inputs["kernel"], i.inputs["sizes"]]) for i in items]
    assert len(set(asked)) == len(asked) == 15 + 117 * 3
    assert len({item.id for item in items}) == len(items)
    assert domain.renewed(0).items("val") == domain.items("val")
    assert domain.renewed(2).data_sha256 == domain.data_sha256
    with pytest.raises(DomainDataError, match="fresh sizes for 117 epochs"):
        domain.renewed(118)


def test_equal_options_give_equal_data(domain: Vx) -> None:
    assert load("vx").data_sha256 == domain.data_sha256
    assert make(None, {"rows_seed": "2"}).data_sha256 != domain.data_sha256
    with pytest.raises(DomainDataError, match="options: rows_seed"):
        make(None, {"kernel": "descent"})


def test_answers_may_be_a_million_characters_long(domain: Vx) -> None:
    assert isinstance(domain, Limited)
    assert isinstance(domain, Verified)
    assert domain.answer_limits.characters == 1_000_000
