"""Half an hour on a busy core the first time: Genesis compiles its scene, and keeps the result."""

from typing import Any

import pytest

from hyperspace.tasks.go2.domain import genesis_hop, genesis_walking
from hyperspace.tasks.go2.observations import NAMES
from hyperspace.tasks.go2.rhythm import START
from hyperspace.tasks.go2.rollouts import GaitAttempt, Push, Rollout, Simulator
from tests.support.extras import needs_extra

pytestmark = [
    *needs_extra("genesis", "genesis", "torch"),
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # of its many libraries
]
WALKS = (2.5, 0.02, 0.5, 0.5, 0.0, 0.0, 0.0, 1.5)


@pytest.fixture(scope="module")
def simulator() -> Simulator:
    from hyperspace.tasks.go2.genesis.simulation import simulator

    return simulator(24)


def test_the_simulator_has_every_name_and_standing_is_standing(simulator: Simulator) -> None:
    seen: list[Any] = []

    def reward(names: Any) -> float:
        seen.append({name: names[name] for name in NAMES})
        return 1.0

    (run,) = simulator.run([GaitAttempt(START, 0.5)], 100, hop=False, reward=reward)
    assert all(isinstance(value, float) for names in seen for value in names.values())
    assert run.steps == 100 == run.reward
    last = seen[-1]
    assert last["contacts"] == 4
    assert last["up"] > 0.99
    assert 0.25 < last["height"] < 0.35
    assert abs(last["v_x"]) < 0.1


def test_a_run_depends_neither_on_its_neighbours_nor_on_what_ran_before(
    simulator: Simulator,
) -> None:
    def run(attempts: list[GaitAttempt]) -> list[Rollout]:
        return simulator.run(attempts, 75, hop=False, reward=lambda names: names["v_x"])

    attempt = GaitAttempt(WALKS, 0.5, Push(25, 0.2, -0.2))
    tumbles = GaitAttempt((5.0, 0.3, 3.0, 1.5, 0.5, 0.9, 0.5, 0.0), 0.8)
    (alone,) = run([attempt])
    many = run([tumbles] * 10 + [attempt] + [GaitAttempt(START, 0.2)] * 12 + [attempt] * 2)
    assert many[0].steps < 75, "what fell lies among those that walk"
    assert {many[10], many[23], many[24], *run([attempt])} == {alone}


def test_a_push_is_felt(simulator: Simulator) -> None:
    speeds: list[float] = []

    def reward(names: Any) -> float:
        speeds.append(names["v_y"])
        return 0.0

    simulator.run([GaitAttempt(START, 0.5, Push(25, 0.0, 0.4))], 30, hop=False, reward=reward)
    assert abs(speeds[24]) < 0.05 < 0.15 < speeds[25]


def test_what_blows_up_costs_its_own_run_and_not_the_next(simulator: Simulator) -> None:
    wild = GaitAttempt(START, 0.5, Push(5, 1e30, 1e30))
    with pytest.raises(Exception, match="nan"):
        simulator.run([wild], 30, hop=False)
    (run,) = simulator.run([GaitAttempt(START, 0.5)], 30, hop=False)
    assert run.steps == 30


def test_a_reward_for_the_right_speed_teaches_to_walk() -> None:
    domain = genesis_walking(None, {})
    outcome = domain.verify(domain.items("val")[0], "exp(-4 * (v_cmd - v_x) ** 2)")
    print(outcome)
    standing = outcome.details["standing"]
    assert isinstance(standing, float)
    assert outcome.score > 0.7 > 0.3 > standing


def test_a_reward_for_height_teaches_to_hop() -> None:
    domain = genesis_hop(None, {})
    outcome = domain.verify(domain.items("val")[0], "height ** 4")
    print(outcome)
    assert outcome.score > 0.5
