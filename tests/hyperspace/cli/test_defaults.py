"""Defaults of launch options from hyperspace.toml: what may stand there, and whose file counts."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import failed
from tests.support.paths import ROOT

PAIR = ("pair", "--models", "offline/tinker", "offline/magpie", "--domain", "repo_quality")
FORECAST = (*PAIR, "--generations", "1", "--dry-run")


class Person:
    """Somebody with a configuration folder who works in a folder."""

    def __init__(self, home: Path) -> None:
        self.work = home / "work"
        self.own = home / "config" / "hyperspace" / "hyperspace.toml"
        self.here = self.work / "hyperspace.toml"
        self.work.mkdir()
        self.own.parent.mkdir(parents=True)
        folders = {"XDG_CONFIG_HOME": "config", "XDG_STATE_HOME": "state"}
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT)} | {
            name: str(home / folder) for name, folder in folders.items()
        }

    def runs(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "hyperspace", *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=self.work,
            env=self.environment,
        )  # fmt: skip

    def shown(self) -> dict[str, str]:
        rows = json.loads(self.runs("config", "--json").stdout)["defaults"]
        return {row["option"]: row["value"] for row in rows if row["value"] is not None}


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path)


@pytest.mark.long
def test_a_run_lies_where_the_own_file_says_and_the_command_line_says_more(
    person: Person,
) -> None:
    person.own.write_text('results = "mine"\nkeep-traces = "none"\n')
    done = person.runs(*PAIR, "--generations", "1", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["run"].startswith("mine/")
    done = person.runs(*PAIR, "--generations", "1", "--json", "--results", "other")
    assert json.loads(done.stdout)["run"].startswith("other/")


@pytest.mark.long
def test_the_file_here_counts_more_once_it_was_accepted(person: Person) -> None:
    person.own.write_text("max-usd = 5\neval-workers = 2\n")
    person.here.write_text("max_usd = 1\n")
    assert "was not accepted by you" in failed(person.runs(*FORECAST), 2)
    done = person.runs("config", "--json")
    assert json.loads(done.stdout)["not_accepted"] == [str(person.here)]
    assert person.runs("config", "--accept").returncode == 0
    assert person.shown() == {"max-usd": "1", "eval-workers": "2"}
    assert person.runs(*FORECAST).returncode == 0
    person.here.write_text("max_usd = 1000\n")
    assert "was changed since" in failed(person.runs(*FORECAST), 2)


@pytest.mark.long
def test_a_file_accepted_in_one_folder_is_not_in_another(person: Person) -> None:
    person.here.write_text("max_usd = 1\n")
    assert person.runs("config", "--accept").returncode == 0
    person.work = person.work / "stranger"
    person.work.mkdir()
    (person.work / "hyperspace.toml").write_text("max_usd = 1\n")
    assert "was not accepted by you" in failed(person.runs(*FORECAST), 2)


@pytest.mark.long
@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("detach = true", "detach is no option that a file may set"),
        ("generations = 0.5", "generations: "),
        ("trust = true", "trust is no option that a file may set"),
        ('key-to = "http://x"', "key-to is no option that a file may set"),
        ("max-us = 3", "did you mean max-usd?"),
        ("max-usd = -3", "max-usd: "),
        ("max-usd = 3\nmax_usd = 5", "max_usd is there as max-usd, too"),
        ("max-usd = [3]", "max-usd: it is a text or a number"),
        ("allow-unknown-price = 1", "allow-unknown-price: it is true or false"),
        ('keep-traces = "some"', "keep-traces: there are all"),
        ("max-usd", "is no TOML"),
        ("[pair]\nresults = 3", "pair is no option that a file may set"),
    ],
)
def test_what_a_file_may_not_say_is_told_with_its_place(
    person: Person, said: str, why: str
) -> None:
    person.own.write_text(said)
    for command in (FORECAST, ("config",)):
        message = failed(person.runs(*command), 2)
        assert message.startswith(f"hyperspace: {person.own}")
        assert why in message
    assert person.runs("pair", "--help").returncode == 0


@pytest.mark.long
def test_a_file_may_say_what_a_run_is_and_the_record_has_it(person: Person) -> None:
    person.own.write_text(
        'models = ["offline/tinker", "offline/magpie"]\ndomain = "repo_quality"\n'
        'generations = 1\nseed-agent = "published"\nneeds = true\n'
    )
    done = person.runs("pair", "--json", "--seed", "9")
    assert done.returncode == 0, done.stderr
    assert "hyperspace.toml: --models offline/tinker offline/magpie" in done.stderr
    run = person.work / json.loads(done.stdout)["run"]
    person.own.unlink()
    assert person.runs("resume", run, "--json").returncode == 0
    named = ("pair", "--models", "offline/tinker", "offline/magpie", "--domain", "repo_quality")
    more = ("--generations", "1", "--seed-agent", "published", "--needs", "--seed", "9")
    again = person.runs(*named, *more, "--results", "r", "--json")
    assert json.loads(again.stdout)["digest"] == json.loads(done.stdout)["digest"]


@pytest.mark.long
def test_options_of_one_command_are_no_words_of_another(person: Person) -> None:
    person.own.write_text("rounds = 2\nsolvers = 1\n")
    assert person.runs(*FORECAST).returncode == 0


@pytest.mark.long
def test_what_was_accepted_once_cannot_be_put_back(person: Person) -> None:
    for limit in (1000, 1):
        person.here.write_text(f"max_usd = {limit}\n")
        assert person.runs("config", "--accept").returncode == 0
    person.here.write_text("max_usd = 1000\n")
    assert "was not accepted by you" in failed(person.runs(*FORECAST), 2)


@pytest.mark.long
def test_a_file_that_takes_long_to_read_is_not_read(person: Person) -> None:
    person.here.write_text("a." * 20_000 + "b = 1\n")
    for command in (FORECAST, ("config",), ("config", "--accept")):
        assert "has more than 10000 bytes" in failed(person.runs(*command), 2)


def test_a_pipe_in_place_of_a_file_makes_nobody_wait(person: Person) -> None:
    os.mkfifo(person.here)
    assert "is no plain file" in failed(person.runs(*FORECAST), 2)


@pytest.mark.long
def test_a_resumed_run_keeps_what_its_first_start_said(person: Person) -> None:
    done = person.runs(*PAIR, "--generations", "1", "--json")
    run = json.loads(done.stdout)["run"]
    person.own.write_text("max-usd = -1\n")
    assert person.runs("resume", run, "--json").stdout == done.stdout
