import pytest

from hyperspace.tasks.go2.expression import parse
from hyperspace.tasks.go2.observations import NAMES
from hyperspace.tasks.go2.rollouts import Rollout, RunningSum

STANDS = dict.fromkeys(NAMES, 0.0) | {"up": 1.0, "height": 0.3, "v_x": 0.5}


def test_a_run_adds_up_reward_and_tracking_and_knows_its_highest_point() -> None:
    run = RunningSum(0.5, parse("2 * height", NAMES))
    for step in range(50):
        run.add(STANDS | {"height": 0.9 if step in (3, 40) else 0.4 if step == 45 else 0.3})
    assert not run.fell
    assert run.rollout().reward == pytest.approx(47 * 0.6 + 2 * 1.8 + 0.8)
    assert run.rollout()[1:] == (50.0, 0.9, 50)
    early = RunningSum(0.5, None)
    early.add(STANDS | {"height": 0.9})
    assert early.rollout() == Rollout(0.0, 1.0, 0.0, 1), "the first half second has no height"


@pytest.mark.parametrize("fallen", [{"up": 0.86}, {"height": 0.119}])
def test_nothing_counts_after_a_fall(fallen: dict[str, float]) -> None:
    run = RunningSum(0.5, parse("1", NAMES))
    run.add(STANDS)
    for names in (STANDS | fallen, STANDS, STANDS):
        run.add(names)
    assert run.fell
    assert run.rollout() == Rollout(1.0, 1.0, 0.0, 1)


@pytest.mark.parametrize(
    ("text", "worth"), [("1 / v_y", -1e6), ("sqrt(-1)", -1e6), ("exp(700) * 1e99", 1e6)]
)
def test_a_step_without_a_value_costs_a_million_and_none_gives_more(
    text: str, worth: float
) -> None:
    run = RunningSum(0.5, parse(text, NAMES))
    run.add(STANDS)
    assert run.rollout().reward == worth
