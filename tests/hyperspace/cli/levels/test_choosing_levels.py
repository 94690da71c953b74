"""`--levels`: which levels and controls a command line names."""

from argparse import ArgumentTypeError

import pytest

from hyperspace.cli.commands.levels import parse_levels
from hyperspace.cli.commands.levels.planning import LevelSet
from hyperspace.cli.parser import build
from replication.level_comparison.names import CONTROLS, LEVELS

ALL = ("levels", "--tasks", "repo_quality", "email_validation", "--models", "offline/heeding")


def planned(*options: str) -> LevelSet:
    parser, _ = build(("levels",))
    return LevelSet(parser.parse_args([*ALL, "--budget", "10calls", "--seeds", "1..3", *options]))


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("feedback", ("feedback",)),
        ("feedback,shuffled advice", ("shuffled advice", "feedback")),
        ("loop, best_of_n", ("best of N", "loop")),
        ("Arena,RANDOM_CASES", ("arena", "random cases")),
        (",".join(LEVELS), LEVELS),
    ],
)
def test_levels_are_named_as_tables_and_folders_name_them(
    text: str, levels: tuple[str, ...]
) -> None:
    assert parse_levels(text) == levels


@pytest.mark.parametrize("text", ["", "shuffled", "loop,", "loop;feedback"])
def test_an_unknown_level_is_told_all_that_there_are(text: str) -> None:
    with pytest.raises(ArgumentTypeError) as refused:
        parse_levels(text)
    assert str(refused.value).endswith(f"; there are {', '.join(LEVELS)}")


@pytest.mark.parametrize(("control", "level"), CONTROLS.items())
def test_a_control_without_what_it_is_compared_with_is_refused(control: str, level: str) -> None:
    with pytest.raises(ArgumentTypeError, match=f"{control} is a control of {level}; name {level}"):
        parse_levels(f"hyperagent,{control}")


@pytest.mark.long
@pytest.mark.parametrize("levels", ["loop", "best of N,loop", "arena", "hyperagent,arena"])
def test_what_is_named_is_planned_as_it_is_among_all(levels: str) -> None:
    every, some = planned(), planned("--levels", levels)
    names = levels.split(",")
    runs = [run for run in every.before_shuffling() if run.kind.split(" ", 1)[1] in names]
    assert [run.shown for run in some.before_shuffling()] == [run.shown for run in runs]
    assert some.count == len(runs)
    assert not some.shuffles


def test_shuffled_advice_counts_where_it_is_named() -> None:
    chosen = planned("--levels", "feedback,shuffled_advice")
    assert chosen.shuffles
    assert chosen.count == 2 * 2 * 3
    assert {run.kind for run in chosen.before_shuffling()} == {
        "repo_quality feedback",
        "email_validation feedback",
    }
