"""Options of `hyperspace solo` that an arm would leave out, or that would change it unasked."""

from pathlib import Path

import pytest

from tests.support.command import failed, hyperspace

REPO = ("solo", "--domain", "repo_quality", "--no-controls")


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--arm", "best_of_n", "--control", "aa"), "best_of_n is a control itself"),
        (("--arm", "aa", "--control", "best_of_n"), "aa is a control itself"),
        (("--arm", "best_of_n", "--controls"), "leave out --controls"),
        (("--control", "aa", "--controls"), "leave out --controls"),
        (("--arm", "best_of_n", "--freeze-meta"), "--freeze-meta would do nothing"),
        (("--arm", "best_of_n", "--selection", "best"), "--selection would do nothing"),
        (("--arm", "best_of_n", "--annealing"), "--annealing would do nothing"),
        (("--arm", "c", "--selection", "latest"), "arm c is selection random"),
        (("--ensemble-size", "3"), "add --optimise ensemble"),
        (("--arm", "b", "--annealing-p0", "0.3"), "add --annealing, or use --arm d"),
        (("--annealing-p0", "0.3", "--annealing-decay", "1"), "--annealing-p0 and --annealing-d"),
        (("--events", "--seeds", "1..2"), "name one --seed"),
    ],
)
def test_what_would_do_nothing_or_contradicts_the_arm_is_refused(
    options: tuple[str, ...], expected: str, tmp_path: Path
) -> None:
    done = hyperspace(*REPO, *options, "--dry-run", "--results", tmp_path)
    assert expected in failed(done, 2)


@pytest.mark.long
@pytest.mark.parametrize(
    "options",
    [
        ("--arm", "aa", "--freeze-meta"),
        ("--arm", "c", "--selection", "random"),
        ("--arm", "d", "--annealing", "--annealing-p0", "0.3"),
        ("--arm", "b", "--annealing", "--annealing-p0", "0.3"),
        ("--optimise", "both", "--ensemble-size", "3"),
        ("--arm", "b", "--control", "best_of_n"),
    ],
)
def test_what_an_arm_can_do_is_still_played(options: tuple[str, ...], tmp_path: Path) -> None:
    done = hyperspace(*REPO, *options, "--dry-run", "--results", tmp_path)
    assert done.returncode == 0, done.stderr
