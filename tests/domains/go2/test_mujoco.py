import pytest

from domains.go2.domain import hop, walking
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


def test_a_reward_for_height_teaches_to_hop() -> None:
    domain = hop(None, {})
    item = domain.items("train")[0]
    assert domain.verify(item, "height ** 4").score > 0.2


@pytest.mark.parametrize("answer", ["1 / (v_cmd - v_cmd)", "-1"])
def test_a_reward_without_sense_still_has_a_finding(answer: str) -> None:
    outcome = hop(None, {}).verify(hop(None, {}).items("train")[0], answer)
    assert 0 <= outcome.score < 0.6
