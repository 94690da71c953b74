"""Forecasts: arithmetic that a person can check, on the real domains and the real seed."""

import json
from pathlib import Path

import msgspec
import pytest

from agents.runtime.agent.tools import load_tools, spec
from hyperspace.launch.forecast import (
    LEVELS,
    TOOLS_CHARACTERS,
    Forecast,
    ForecastModel,
    Player,
    forecast,
    prompt_characters,
    side_by_side,
)
from hyperspace.spending.prices import FREE, Price
from hyperspace.tasks.registry import load
from hyperspace.workspace.seed_code import seed_files

SEED = {path: data.decode() for path, data in seed_files().items()}
PRICE = Price(id="m", input=1.0, output=10.0)
NETWORK = ForecastModel("m@https://host.example/v1", PRICE, offline=False)
UNPRICED = ForecastModel("n@https://host.example/v1", None, offline=False)
OFFLINE = ForecastModel("offline/tinker", FREE, offline=True)
ROWS = """
from hyperspace.tasks.base import Item

class Rows:
    name, metric, higher_is_better, staged_items = "rows", "accuracy", True, 2
    data_sha256, calls_model = "0" * 64, True

    def items(self, split):
        count = {"train": 10, "val": 5, "test": 4}[split]
        return [Item(f"{split}{i}", {"q": "x" * 200}) for i in range(count)]

    def labels(self, split):
        return {item.id: "yes" for item in self.items(split)}

    def score(self, split, predictions):
        return 0.0

    def fitness(self, score):
        return score

    def smoke_item(self):
        return Item("smoke", {"q": "x"})

    def seed_files(self):
        return {}

rows = Rows()
"""


def ahead(folder: Path, generations: int, *players: Player) -> Forecast:
    file = folder / "rows.py"
    file.write_text(ROWS)
    return forecast(load(f"{file}:rows"), generations, players, SEED)


def test_calls_follow_from_generations_and_sizes(tmp_path: Path) -> None:
    found = ahead(tmp_path, 3, Player("a", NETWORK, NETWORK))
    evaluated = 4 * (1 + 10 + 5) + 4
    modified = 3 * LEVELS["expected"].modify_calls
    assert found.expected.calls == evaluated + modified
    assert found.low.calls == 4 * (1 + 2) + 4 + 3 * LEVELS["low"].modify_calls
    assert found.high.calls == evaluated + 3 * 41


def test_tokens_count_the_items_and_the_seeds_own_prompt(tmp_path: Path) -> None:
    (_, evaluate) = ahead(tmp_path, 1, Player("a", NETWORK, NETWORK)).parts
    item, prompt = len(str({"q": "x" * 200})), prompt_characters(SEED["task_agent.py"])
    calls = 2 * 16 + 4
    assert evaluate.expected.prompt_tokens == round(((calls - 2) * item + calls * prompt) / 4)


def test_a_diagnosis_is_one_more_call_of_each_modification(tmp_path: Path) -> None:
    plain, told = (
        ahead(tmp_path, 3, Player("a", NETWORK, NETWORK, diagnosed=diagnosed)).parts[0].expected
        for diagnosed in (False, True)
    )
    asked = len(SEED["task_agent.py"]) + len(str({"q": "x" * 200}))
    assert told.calls == plain.calls + 3
    assert told.prompt_tokens == plain.prompt_tokens + 3 * round(asked / 4)


def test_generations_that_are_all_tested_ask_for_test_each_time(tmp_path: Path) -> None:
    once, each = (
        ahead(tmp_path, 3, Player("a", NETWORK, NETWORK, tests_each=each)) for each in (False, True)
    )
    assert each.expected.calls == once.expected.calls + 4 * 4
    assert each.low.calls == once.low.calls


def test_passes_multiply_what_items_ask_for_and_not_the_gates(tmp_path: Path) -> None:
    once, thrice = (
        ahead(tmp_path, 3, Player("a", NETWORK, NETWORK, times=repeats)) for repeats in (1, 3)
    )
    gates = 4
    for level in ("low", "expected", "high"):
        before, now = (getattr(found.parts[1], level) for found in (once, thrice))
        assert now.calls - gates == 3 * (before.calls - gates)
        assert 2 * before.usd < now.usd <= 3 * before.usd
    assert thrice.parts[0] == once.parts[0]


def test_workers_share_the_time_of_evaluation_and_nothing_else(tmp_path: Path) -> None:
    one, four = (
        ahead(tmp_path, 3, Player("a", NETWORK, NETWORK, workers=workers)).parts[1].expected
        for workers in (1, 4)
    )
    rounds_s = 4 * LEVELS["expected"].generation_s
    assert four.seconds - rounds_s == pytest.approx((one.seconds - rounds_s) / 4)
    assert (four.calls, four.usd) == (one.calls, one.usd)


def test_money_is_the_price_of_the_tokens_and_unknown_as_soon_as_one_part_is(
    tmp_path: Path,
) -> None:
    known = ahead(tmp_path, 2, Player("a", NETWORK, NETWORK)).expected
    assert known.usd == pytest.approx(
        (known.prompt_tokens * 1.0 + known.completion_tokens * 10.0) / 1e6
    )
    mixed = ahead(tmp_path, 2, Player("a", NETWORK, NETWORK), Player("b", UNPRICED, OFFLINE))
    assert (mixed.expected.usd, mixed.unpriced) == (None, (UNPRICED.name,))


def test_offline_models_are_free_and_quick(tmp_path: Path) -> None:
    found = ahead(tmp_path, 2, Player("a", OFFLINE, OFFLINE)).expected
    assert found.usd == 0.0
    assert found.seconds < ahead(tmp_path, 2, Player("a", NETWORK, NETWORK)).expected.seconds / 3


def test_low_is_below_expected_and_expected_below_high(tmp_path: Path) -> None:
    found = ahead(tmp_path, 5, Player("a", NETWORK, OFFLINE), Player("b", NETWORK, NETWORK))
    for low, expected, high in [
        (found.low, found.expected, found.high),
        *((part.low, part.expected, part.high) for part in found.parts),
    ]:
        rows = (msgspec.structs.astuple(amount) for amount in (low, expected, high))
        assert all(a <= b <= c for a, b, c in zip(*rows, strict=True))


def test_a_domain_whose_seed_asks_no_model_is_forecast_without_evaluation_calls() -> None:
    domain = load("repo_quality")
    (_, evaluate) = forecast(domain, 3, [Player("a", NETWORK, NETWORK)], SEED).parts
    assert (evaluate.high.calls, evaluate.high.usd) == (0, 0.0)


def test_a_prompt_is_found_without_running_the_code() -> None:
    prompt = prompt_characters(SEED["task_agent.py"])
    assert 150 < prompt < 400
    assert prompt_characters("raise SystemExit('never run')") == len("never run")
    assert prompt_characters("def broken(") == len("def broken(")


def test_the_tools_are_as_long_as_the_runtime_makes_them() -> None:
    tools = load_tools("all").values()
    length = sum(len(json.dumps(spec(tool))) for tool in tools)
    assert length == pytest.approx(TOOLS_CHARACTERS, rel=0.2)


def test_agents_at_the_same_time_take_as_long_as_the_slowest_and_spend_as_much(
    tmp_path: Path,
) -> None:
    players = Player("a", NETWORK, OFFLINE), Player("b", NETWORK, NETWORK, 1)
    found = ahead(tmp_path, 5, *players)
    alone = [ahead(tmp_path, n, player) for n, player in zip((5, 1), players, strict=True)]
    together = side_by_side(found, 8, children=False)
    assert together.high.seconds == max(one.high.seconds for one in alone)
    assert together.high.usd == found.high.usd
    assert found.high.calls == together.high.calls == sum(one.high.calls for one in alone)


def test_with_few_lanes_it_takes_as_long_as_these_need(tmp_path: Path) -> None:
    one_lane = ahead(tmp_path, 5, *(Player(name, NETWORK, OFFLINE) for name in "abcd"))
    two = side_by_side(one_lane, 2, children=False)
    assert two.expected.seconds == one_lane.expected.seconds / 2
    assert side_by_side(one_lane, 8, children=False).low.seconds == one_lane.low.seconds / 4
    assert side_by_side(one_lane, 8, children=True).low.seconds == one_lane.low.seconds / 8
