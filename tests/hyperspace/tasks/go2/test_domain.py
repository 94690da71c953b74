import random
import re
from collections.abc import Callable, Sequence
from importlib.util import find_spec

import pytest

from hyperspace.tasks.base import SPLITS, DomainDataError, Item
from hyperspace.tasks.contract import broken_promises
from hyperspace.tasks.go2.domain import (
    GENESIS,
    MUJOCO,
    Go2,
    Go2Options,
    SimulatorChoice,
    genesis_hop,
    genesis_walkback,
    genesis_walking,
    hop,
    walkback,
    walking,
)
from hyperspace.tasks.go2.expression import parse
from hyperspace.tasks.go2.observations import NAMES
from hyperspace.tasks.go2.rhythm import START, targets
from hyperspace.tasks.go2.robot import STANDING
from hyperspace.tasks.go2.training import Effort, Gait, train
from hyperspace.tasks.shapes.renewable import Renewable
from hyperspace.tasks.shapes.verified import Verified
from tests.support.tasks.episodes import seed_agent


def fake(task: str = "go2_walking", rows_seed: int = 1) -> Go2:
    options = Go2Options(rows_seed=rows_seed)
    simulator = MUJOCO._replace(factory="tests.hyperspace.tasks.go2.training_game:make")
    return Go2(task, "forward", options, simulator)


def each(value: Callable[[Gait], float]) -> Callable[[Sequence[Gait]], list[float]]:
    return lambda gaits: [value(gait) for gait in gaits]


def test_equal_options_give_equal_domains() -> None:
    assert fake().data_sha256 == fake().data_sha256
    assert fake().data_sha256 != fake(rows_seed=2).data_sha256
    assert fake().data_sha256 != fake("go2_hop").data_sha256
    assert [len(fake().items(split)) for split in SPLITS] == [2, 6, 5]
    assert isinstance(fake(), Verified)
    assert isinstance(fake(), Renewable)


def test_it_keeps_its_contract_with_items_that_ids_alone_tell_apart() -> None:
    assert broken_promises(fake(), fake()) == []


def test_inputs_tell_nothing_of_trainings_and_trials() -> None:
    domain = fake()
    inputs = [item.inputs for split in SPLITS for item in domain.items(split)]
    assert all(each == inputs[0] for each in inputs)
    assert inputs[0] == domain.smoke_item().inputs
    assert set(inputs[0]) == {"task", "names"}


@pytest.mark.long
def test_each_item_has_a_training_of_its_own_in_every_epoch() -> None:
    domain = fake()
    items: list[Item] = [*domain.items("train"), *domain.items("val"), *domain.items("test")]
    items += domain.renewed(1).items("val")
    details = [domain.verify(item, "0.5").details for item in items]
    assert len({detail["training"] for detail in details}) == 19
    assert len({detail["trials"] for detail in details}) == 19
    splits = ["train"] * 2 + ["val"] * 6 + ["test"] * 5 + ["val"] * 6
    assert [detail["split"] for detail in details] == splits
    assert domain.renewed(0).items("val") == domain.items("val")


def test_equal_answers_are_trained_once() -> None:
    domain = fake()
    item = domain.items("train")[0]
    first = domain.verify(item, "0.25")
    assert first.score == 0.25
    assert domain.renewed(2).verify(item, " 0.25\n") == first, "it would be another process"
    assert domain.verify(item, "0.2500").details["pid"] != first.details["pid"]


@pytest.mark.parametrize(
    "answer", ["", "None", "v_x +", "NaN", "1e400", "\ud800", "(" * 10_000_000]
)
def test_an_invalid_answer_is_a_finding(answer: str) -> None:
    outcome = fake().verify(fake().items("train")[0], answer)
    assert outcome.score == 0
    assert outcome.reason.startswith("no reward: ")


def test_a_simulator_that_dies_is_a_finding() -> None:
    outcome = fake().verify(fake().items("train")[0], "13")
    assert outcome.score == 0
    assert "SIGABRT" in outcome.reason


@pytest.mark.parametrize(
    "task", [walking, walkback, hop, genesis_walking, genesis_walkback, genesis_hop]
)
def test_bad_options_are_one_sentence(task: object) -> None:
    assert callable(task)
    with pytest.raises(DomainDataError, match=r"go2.*options: rows_seed, scale"):
        task(None, {"scale": "huge"})


@pytest.mark.parametrize(
    ("task", "simulator"),
    [(walking, MUJOCO), (genesis_walking, GENESIS)],
    ids=["mujoco", "genesis"],
)
def test_a_missing_simulator_is_one_sentence(task: object, simulator: SimulatorChoice) -> None:
    assert callable(task)
    missing = [module for module in simulator.modules if find_spec(module) is None]
    if not missing:
        pytest.skip(f"{simulator.modules} are there")
    with pytest.raises(DomainDataError, match=f"go2.*walking needs {', '.join(missing)}: install"):
        task(None, {})


@pytest.mark.parametrize("simulator", [MUJOCO, GENESIS], ids=["mujoco", "genesis"])
def test_agents_are_told_of_the_robot_that_is_trained(simulator: SimulatorChoice) -> None:
    readme = Go2("x", "hop", Go2Options(), simulator).task_files()["README.md"].decode()
    assert set(NAMES) <= set(re.findall(r"\w+", readme))
    assert ("Genesis" in readme) == (simulator is GENESIS)


def test_the_seed_writes_a_reward() -> None:
    text, _ = seed_agent(fake()).forward(fake().smoke_item().inputs)
    names = dict.fromkeys(NAMES, 0.0)
    assert parse(text, NAMES)(names | {"height": 0.3}) == pytest.approx(0.2 - 0.1 * 0.2**2)


def test_training_finds_what_is_valued() -> None:
    def value(gait: Gait) -> float:
        return -((gait[0] - 3) ** 2) - (gait[2] - 0.5) ** 2

    gait = train(each(value), Effort(24, 12, 0), random.Random("a"))
    assert gait == train(each(value), Effort(24, 12, 0), random.Random("a"))
    assert value(gait) > -0.05 > value(START)


def test_the_first_round_of_a_training_looks_around_more() -> None:
    gaits: list[Gait] = []

    def value(gait: Gait) -> float:
        gaits.append(gait)
        return 0.0

    train(each(value), Effort(8, 3, 0), random.Random("a"))
    assert len(gaits) == 24 + 8 + 8 + 1, "the last one is the mean of the best"
    assert list(gaits[0]) == list(START)


def test_the_best_gait_of_any_round_is_kept() -> None:
    values: list[float] = []

    def only_at_first(gait: Gait) -> float:
        values.append(gait[2] if len(values) < 12 else -9.0)
        return values[-1]

    gait = train(each(only_at_first), Effort(4, 20, 0), random.Random("a"))
    assert gait[2] == max(values), "one in four of four gaits is a single one"


def test_of_gaits_that_walk_in_different_ways_one_is_taken_not_their_mean() -> None:
    def value(gait: Gait) -> float:
        return float(abs(gait[2]) > 1.2)

    for seed in range(20):
        assert value(train(each(value), Effort(24, 10, 0), random.Random(seed))) == 1.0


def test_a_gait_moves_diagonal_legs_together_and_starts_from_standing() -> None:
    gait = (2.0, 0.1, 0.5, 0.3, 0.1, 0.1, 0.1, 0.0)
    assert targets(gait, 0.5, 0.0, hop=False) == [*STANDING * 4]
    angles = targets(gait, 0.5, 0.6, hop=False)
    thighs = angles[1::3]
    assert thighs[0] == pytest.approx(thighs[3]) != pytest.approx(thighs[1])
    assert thighs[1] == pytest.approx(thighs[2])
    jump = targets(gait, 1.0, 0.6, hop=True)[1::3]
    assert len({round(angle, 9) for angle in jump}) == 1
