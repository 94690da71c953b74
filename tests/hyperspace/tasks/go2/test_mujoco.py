from typing import Any

import pytest

from hyperspace.tasks.go2.domain import hop, walking
from tests.support.extras import needs_extra

pytestmark = needs_extra("go2", "mujoco")


def test_a_reward_for_the_right_speed_teaches_to_walk() -> None:
    domain = walking(None, {})
    item = domain.items("val")[0]
    outcome = domain.verify(item, "exp(-4 * (v_cmd - v_x) ** 2)")
    standing = outcome.details["standing"]
    assert isinstance(standing, float)
    assert outcome.score > 0.75 > 0.55 > standing
    assert walking(None, {}).verify(item, "exp(-4*(v_cmd-v_x)**2)") == outcome


def test_what_is_learnt_holds_at_speeds_and_pushes_that_no_training_had() -> None:
    domain = walking(None, {})
    items = domain.items("test")
    scores = [domain.verify(item, "exp(-4 * (v_cmd - v_x) ** 2)").score for item in items]
    assert sum(scores) / len(scores) > 0.75, "0.806 where it was measured"


def test_the_seed_learns_to_walk_by_the_weight_of_a_term_alone() -> None:
    seed = walking(None, {}).seed_files()["task_agent.py"].decode()
    term = '"exp(-4 * (v_cmd - v_x) ** 2)": '
    assert f"{term}0.0," in seed
    names: dict[str, Any] = {"__name__": "task_agent"}
    exec(seed.replace(f"{term}0.0,", f"{term}0.5,"), names)  # noqa: S102 - it is ours
    domain = walking(None, {})
    answer, _ = names["TaskAgent"]("m").forward(domain.smoke_item().inputs)
    assert domain.verify(domain.items("val")[0], answer).score > 0.7


def test_a_reward_for_height_teaches_to_hop() -> None:
    domain = hop(None, {})
    item = domain.items("train")[0]
    assert domain.verify(item, "height ** 4").score > 0.2


@pytest.mark.parametrize("answer", ["1 / (v_cmd - v_cmd)", "-1"])
def test_a_reward_without_sense_still_has_a_finding(answer: str) -> None:
    outcome = hop(None, {}).verify(hop(None, {}).items("train")[0], answer)
    assert 0 <= outcome.score < 0.6
