"""What the options of `hyperspace solo` come to, before anything is played."""

from evolution.solo import Annealing
from tests.support.solos import planned


def test_what_annealing_is_to_be_reaches_the_arm_and_not_its_best_of_n() -> None:
    asked = ("--arm", "d", "--annealing-p0", "0.75", "--annealing-decay", "0.25")
    arm, best_of_n, aa = [one.options.solo for one in planned(*asked)]
    assert arm.annealing == aa.annealing == Annealing(p0=0.75, decay=0.25)
    assert best_of_n.annealing is None


def test_a_best_of_n_is_as_long_as_its_arm_has_candidates() -> None:
    every = ("--arm", "d", "--annealing-p0", "1", "--annealing-decay", "1", "--iterations", "6")
    assert {one.label: one.options.generations for one in planned(*every)} == {
        "arm_d_annealing seed42": 6,
        "best_of_n_annealing seed42": 12,
        "arm_d_annealing_aa seed42": 6,
    }
    (alone,) = planned(*every, "--control", "best_of_n")  # as a set plays it
    assert alone.options.generations == 12


def test_a_best_of_n_of_usual_tournaments_is_as_long_as_its_seed_draws() -> None:
    every = planned("--arm", "d", "--iterations", "6", "--seeds", "1..9")
    controls = [one.options for one in every if one.control == "best_of_n"]
    lengths = {options.generations for options in controls}
    assert lengths < set(range(6, 13))
    assert len(lengths) > 1


def test_without_tournaments_every_control_is_as_long_as_its_arm() -> None:
    assert [one.options.generations for one in planned("--iterations", "6")] == [6, 6, 6]
