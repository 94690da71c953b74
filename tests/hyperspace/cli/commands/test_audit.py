"""`hyperspace audit` and `space verify`: what they check, what they list, whom they believe."""

import json
import shutil
import signal
import sqlite3
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import HYPERSPACE, PAIR, failed, hyperspace, pair

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(pair(tmp_path_factory.mktemp("results"), generations=1)["run"])


@pytest.fixture
def copy(run: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(run, tmp_path / "run"))


def test_a_clean_run_has_nothing_to_tell(run: Path) -> None:
    done = hyperspace("audit", run, "--json")
    audit: Any = json.loads(done.stdout)
    assert done.returncode == 0
    assert audit["verified"] is True
    assert [audit[name] for name in ("refused", "denied", "totals", "through")] == [[]] * 4


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (
            ["--kind", "crime"],
            "edit-scope, policy, budget, attack, damage, domain, end, outage, mark-space",
        ),
        (["--agent", "nobody"], "tinker, magpie"),
        (["--generation", "last"], "whole number"),
    ],
)
def test_a_filter_that_fits_nothing_says_what_exists(
    run: Path, filters: list[str], expected: str
) -> None:
    assert expected in failed(hyperspace("audit", run, *filters), 2)


def test_filters_leave_records_out_and_never_a_check(copy: Path) -> None:
    (copy / "tinker" / "gen_1" / "repo" / "task_agent.py").write_text("changed = 1\n")
    done = hyperspace("audit", copy, "--agent", "magpie", "--generation", "0", "--kind", "budget")
    assert done.returncode == 1
    assert "GOT THROUGH: tinker gen 1: repo/task_agent.py was changed" in done.stderr


def test_a_head_that_the_chain_never_reached_fails_both_commands(copy: Path) -> None:
    summary = json.loads((copy / "summary.json").read_text())
    (copy / "summary.json").write_text(json.dumps({**summary, "audit_head": "ab" * 32}))
    for command in (["audit"], ["space", "verify"]):
        done = hyperspace(*command, copy)
        assert done.returncode == 1
        assert "ends too early" in done.stderr


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"audit_head": 7}'])
def test_a_summary_that_names_no_head_is_no_pass(copy: Path, content: str) -> None:
    (copy / "summary.json").write_text(content)
    for command in (["audit"], ["space", "verify"]):
        assert "summary.json names no head" in failed(hyperspace(*command, copy), 1)


def test_a_run_can_be_audited_while_it_is_played(tmp_path: Path) -> None:
    command = [*HYPERSPACE, "pair", *PAIR, "--generations", "200", "--results", str(tmp_path)]
    folder = tmp_path / "repo_quality" / "tinker_vs_magpie" / "seed42"
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as playing:
        try:
            wait_for(folder / "magpie" / "gen_1")
            audits = [hyperspace("audit", folder, "--json") for _ in range(3)]
            assert playing.poll() is None
        finally:
            playing.send_signal(signal.SIGINT)
    assert [(done.returncode, done.stderr) for done in audits] == [(0, "")] * 3
    entries = [json.loads(done.stdout)["entries"] for done in audits]
    assert entries == sorted(entries)


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} never came"
        time.sleep(0.05)


def test_an_entry_that_cannot_be_read_is_told_in_a_sentence(copy: Path) -> None:
    with sqlite3.connect(copy / "space.db") as space:
        space.execute("UPDATE audit SET body = CAST(body || x'00' AS BLOB) WHERE number = 10")
    space.close()
    assert "audit entry 10 cannot be read" in failed(hyperspace("audit", copy), 1)


@pytest.mark.parametrize("command", [["audit"], ["watch", "--once"]])
def test_generations_of_an_agent_that_the_record_does_not_name_are_told(
    copy: Path, command: list[str]
) -> None:
    record = copy / "run_config.json"
    record.write_text(record.read_text().replace('"tinker",', '"sparrow",'))
    done = hyperspace(*command, copy)
    assert done.returncode == 1
    message = done.stderr.strip().splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert "generations of 'tinker', and run_config.json names only sparrow, magpie" in message
