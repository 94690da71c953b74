"""Command lines that are wrong in themselves: what is said, and by which command."""

from pathlib import Path

import pytest

from hyperspace.cli.main import main
from hyperspace.cli.parser import build

MODELS = ("--models", "offline/tinker", "offline/magpie")
REPO = ("--domain", "repo_quality")
PAIR = ("pair", *MODELS, *REPO)
SOLO = ("solo", *REPO)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What is said of a command line that cannot be read."""
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    assert exit_.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    (line,) = printed.err.splitlines()
    return line


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        ((*PAIR, "--generation", "3"), "did you mean --generations?"),
        ((*PAIR, "--seeds", "1..3"), "did you mean --seed?"),
        ((*SOLO, "--iteration=3"), "did you mean --iterations?"),
        (("space", "export", "x.db", "--out", "y"), "did you mean --output?"),
        (("pari", *MODELS), "no command 'pari'; did you mean pair?"),
        (("help", "anlyze"), "no command 'anlyze'; did you mean analyze?"),
        (("space", "mark", "x.db"), "no action 'mark'; did you mean marks?"),
        ((*PAIR, "--fallback", "bets"), "argument --fallback: no value 'bets'; did you mean best?"),
        ((*PAIR, "--fallback", "x"), "no value 'x'; there are "),
    ],
)
def test_a_name_that_is_none_is_refused_with_the_one_that_was_meant(
    arguments: tuple[str, ...], meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert meant in refused(capsys, *arguments)


@pytest.mark.parametrize(
    ("arguments", "unexpected"),
    [
        (("pair", "extra"), "'extra'"),
        (("space", "marks", "extra"), "'extra'"),
        (("--all",), "'--all'"),
        (("-x",), "'-x'"),
        (("pair", "--seed"), "'--seed'"),
    ],
)
def test_only_words_of_a_command_follow_help(
    arguments: tuple[str, ...], unexpected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert f"unexpected argument {unexpected}" in refused(capsys, "help", *arguments)


def test_an_option_that_is_like_no_other_is_refused_by_the_command_it_was_given_to(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = refused(capsys, *PAIR, "--frobnicate")
    assert said.startswith("hyperspace pair: no option --frobnicate (hyperspace pair --help ")


def test_three_models_are_told_of_fleets(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, "pair", *MODELS, "offline/climber", *REPO)
    assert "unexpected argument 'offline/climber'" in said
    assert "hyperspace fleet" in said


@pytest.mark.parametrize("seeds", ["1..1000000", "1..1001", "1..999999999999999", "0,1..1000"])
def test_a_set_that_nobody_can_mean_is_refused_at_once(
    seeds: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (SOLO, ("fleet", "--config", "f.toml")):
        assert "at most 1,000 runs" in refused(capsys, *command, "--dry-run", "--seeds", seeds)


def test_generations_that_nobody_can_mean_are_refused_or_forecast(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    said = refused(capsys, *PAIR, "--dry-run", "--generations", "9" * 20)
    assert "is more than 999,999,999" in said
    nowhere = ("--dry-run", "--results", str(tmp_path))
    assert main([*PAIR, *nowhere, "--generations", "999999999"]) == 0


def test_controls_count_as_runs_of_a_set(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SOLO, "--dry-run", "--seeds", "1..400"]) == 2
    assert "a set of 1,200 runs" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("pair", "--seed", "1", "--seed=2"), "--seed is there with 1 and with 2"),
        (("pair", "--models", "a", "b", "--models", "c", "d"), "with a b and with c d"),
        (("solo", "--policy", "secrets=flag", "--policy", "secrets=off"), "--policy secrets is"),
        (("audit", "RUN", "--kind", "x", "--kind", "y"), "--kind is there with x and with y"),
        (("report", "RUN", "--png", "a", "--png", "b"), "--png is there with a and with b"),
        (("serve", "--fault", "429=0.1", "--fault", "429=0.2"), "--fault 429 is there with"),
        (("space", "marks", "F", "--scope", "a", "--scope", "b"), "--scope is there with a"),
    ],
)
def test_two_values_of_what_takes_one_are_refused(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], told: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


def test_the_same_value_twice_is_one_and_a_set_adds_to_its_words() -> None:
    parser, commands = build(("pair",))
    assert parser.parse_args(("pair", *MODELS, *REPO, "--seed", "1", "--seed", "01")).seed == 1
    commands["pair"].parser.takes_last = True
    assert parser.parse_args(("pair", *MODELS, *REPO, "--seed", "1", "--seed", "2")).seed == 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((*SOLO, "--experiment", ""), "--experiment: an empty word; leave the option out"),
        (("levels", "--budget", "-3calls"), "'-3calls' is no budget; name a number of calls"),
        ((*PAIR, "--seed", "-5x"), "--seed: '-5x' is not a whole number"),
    ],
)
def test_a_value_that_is_none_is_named(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], told: str
) -> None:
    assert told in refused(capsys, *words)
