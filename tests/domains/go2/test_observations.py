from typing import Any

from domains.go2.expression import Value
from domains.go2.observations import NAMES
from domains.go2.rhythm import START
from tests.support.extras import needs_extra

pytestmark = needs_extra("go2", "mujoco")


def test_the_simulator_has_every_name_and_standing_is_standing() -> None:
    from domains.go2.simulation import Simulation

    seen: list[Any] = []

    def reward(names: Any) -> float:
        seen.append(names)
        return 1.0

    value: Value = reward
    run = Simulation().run(START, 0.5, 100, hop=False, reward=value)
    assert set(seen[0]) == set(NAMES)
    assert run.steps == 100 == run.reward
    last = seen[-1]
    assert last["contacts"] == 4
    assert last["up"] > 0.99
    assert 0.25 < last["height"] < 0.35
    assert abs(last["v_x"]) < 0.1
