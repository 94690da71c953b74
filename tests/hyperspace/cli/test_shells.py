"""Shells that leave a command too little to work in: a sentence, and no traceback."""

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.support.command import HYPERSPACE, PAIR, failed, hyperspace
from tests.support.forks.forking import environment
from tests.support.paths import ROOT


def in_shell(line: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = " ".join(HYPERSPACE)
    return subprocess.run(
        ["bash", "-c", line.replace("hyperspace", command)],
        capture_output=True,
        text=True,
        cwd=cwd,
        check=False,
        env=environment() | {"PYTHONPATH": os.getcwd()},  # noqa: PTH109
    )


def test_closed_standard_output_is_told_and_lands_in_no_file(tmp_path: Path) -> None:
    done = in_shell("hyperspace domains >&-", tmp_path)
    assert done.returncode == 0
    assert done.stderr.strip() == (
        "hyperspace: standard output is closed, so what is printed goes nowhere"
    )


@pytest.mark.long
@pytest.mark.parametrize("closed", ["2>&-", "<&- >&- 2>&-"])
def test_closed_streams_leave_the_exit_code(closed: str, tmp_path: Path) -> None:
    assert in_shell(f"hyperspace domains {closed}", tmp_path).returncode == 0
    assert in_shell(f"hyperspace audit nowhere {closed}", tmp_path).returncode == 2


def test_a_removed_working_folder_is_named(tmp_path: Path) -> None:
    done = in_shell("mkdir gone; cd gone; rmdir ../gone; hyperspace report .", tmp_path)
    assert "the working folder was removed" in failed(done, 2)


@pytest.mark.parametrize("allowed_kib", [40_000, 60_000])
def test_too_little_memory_is_named(allowed_kib: int, tmp_path: Path) -> None:
    done = in_shell(f"ulimit -v {allowed_kib}; hyperspace domains", tmp_path)
    assert "ulimit -v" in failed(done, 2)


def test_two_domains_in_one_line_are_a_wish_that_no_run_serves(tmp_path: Path) -> None:
    done = hyperspace("pair", *PAIR, "--domain=knowledge_qa", "--results", tmp_path / "r")
    assert "--domain is there with repo_quality and with knowledge_qa" in failed(done, 2)
    assert not (tmp_path / "r").exists()


LOUD = """
import json
import os
import shlex
import subprocess
from docs.examples.domain import parcels as quiet


def say(where):
    print("print", where)
    os.write(1, f"write {where}".encode())
    subprocess.run(["echo", where])


say("import")


def parcels(data, options):
    say("make")
    domain = quiet(data, options)
    labels = domain.labels

    def loud(*given):
        say("labels")
        return labels(*given)

    domain.labels = loud
    return domain
"""


@pytest.mark.long
def test_what_a_domain_prints_is_no_part_of_json(tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text(LOUD)
    domain = ("--domain", f"{tmp_path / 'loud.py'}:parcels")
    play = ("pair", *PAIR[:3], *domain, "--generations", "1", "--results", tmp_path / "r", "--json")
    run = json.loads(in_words(*play).stdout)["run"]
    for line in (
        ("resume", run, "--json"),
        ("replay", run, *domain, "--json"),
        ("play", f"{run}#tinker", *domain, "--json"),
        ("domains", domain[1], "--check", "--json"),
        (*play, "--dry-run"),
    ):
        done = in_words(*line)
        assert json.loads(done.stdout), line
        assert "print import" in done.stderr


def in_words(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return in_shell(f"hyperspace {shlex.join(map(str, words))}", ROOT)


@pytest.mark.long
def test_a_locale_without_other_letters_plays_packs_and_reads_a_run(tmp_path: Path) -> None:
    """In the C locale, where texts are ASCII unless a program says how it reads them."""
    steps = (
        " ".join(["hyperspace pair", *PAIR, "--generations", "1", "--results", "größe"]),
        "RUN=$(dirname $(find größe -name run_config.json))",
        "hyperspace audit $RUN && hyperspace replay $RUN && hyperspace show $RUN",
        "hyperspace export $RUN --out größe.tar.gz && hyperspace verify größe.tar.gz",
        "hyperspace report größe --html größe.html && hyperspace analyze $RUN --html ä.html",
    )
    line = f"export LC_ALL=C PYTHONUTF8=0; {' && '.join(steps)}"
    done = in_shell(line, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "tinker_vs_magpie" in (tmp_path / "größe.html").read_text("utf-8")


@pytest.mark.long
def test_a_space_that_may_not_grow_is_told_as_that(tmp_path: Path) -> None:
    play = f"hyperspace {shlex.join(('pair', *PAIR, '--generations', '1'))}"
    said = failed(in_shell(f"ulimit -f 1; {play}", tmp_path), 1)
    assert (
        "would grow beyond the size that files may have here; raise the limit (ulimit -f)" in said
    )
