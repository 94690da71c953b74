from typing import Any

from hyperspace.tasks.go2.expression import Value
from hyperspace.tasks.go2.observations import NAMES
from hyperspace.tasks.go2.rhythm import START
from hyperspace.tasks.go2.rollouts import GaitAttempt
from tests.support.extras import needs_extra

pytestmark = needs_extra("go2", "mujoco")


def test_the_simulator_has_every_name_and_standing_is_standing() -> None:
    from hyperspace.tasks.go2.simulation import MujocoSimulator

    seen: list[Any] = []

    def reward(names: Any) -> float:
        seen.append({name: names[name] for name in NAMES})
        return 1.0

    value: Value = reward
    (run,) = MujocoSimulator().run([GaitAttempt(START, 0.5)], 100, hop=False, reward=value)
    assert all(isinstance(value, float) for names in seen for value in names.values())
    assert run.steps == 100 == run.reward
    last = seen[-1]
    assert last["contacts"] == 4
    assert last["up"] > 0.99
    assert 0.25 < last["height"] < 0.35
    assert abs(last["v_x"]) < 0.1
    assert last["v_cmd"] == 0.5
    assert last["torque"] > 1 > last["joint_speed"]
    assert last["pose"] < 0.2
    assert last["action_rate"] == 0


def test_numbers_agree_with_each_other_in_motion() -> None:
    from hyperspace.tasks.go2.simulation import MujocoSimulator

    seen: list[Any] = []

    def reward(names: Any) -> float:
        seen.append({name: names[name] for name in NAMES})
        return 0.0

    value: Value = reward
    gait = (2.4, 0.0, -0.2, 0.5, 0.05, 0.2, 0.0, 1.0)
    (run,) = MujocoSimulator().run([GaitAttempt(gait, 0.5)], 150, hop=False, reward=value)
    assert run.steps == 150
    ahead = [names["v_x"] for names in seen[50:]]
    assert 0.2 < sum(ahead) / len(ahead) < 0.8
    assert all(
        names["power"] <= 12 * names["torque"] * names["joint_speed"] + 1e-9 for names in seen
    )
    assert any(names["contacts"] < 4 for names in seen)
    assert max(names["action_rate"] for names in seen) > 0.01
