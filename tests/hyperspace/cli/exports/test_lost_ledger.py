"""A ledger that lost lines: whoever reads the run is told, and the audit fails."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from hyperspace.audit.audit import read_audit
from hyperspace.audit.ledger import ledger_damage_in
from tests.support.command import hyperspace, pair

pytestmark = pytest.mark.long
Damage = Callable[[list[bytes]], list[bytes]]
DAMAGES: dict[str, Damage] = {
    "line 10 is no line of a ledger": lambda lines: [*lines[:9], b"{]\n", *lines[10:]],
    "line 2 ends a call that no line before it reserves": lambda lines: [lines[0], *lines[2:]],
    "lines are missing (it has": lambda lines: lines[: len(lines) // 2],
    "it is missing": lambda _lines: [],
    "it comes to": lambda lines: [_with_less(line) for line in lines],
}


def _with_less(line: bytes) -> bytes:
    """Return a line as long as it was, whose calls sent less."""
    if b'"settled"' not in line:
        return line
    before, name, after = line.partition(b'"prompt_tokens":')
    figure, comma, rest = after.partition(b",")
    return before + name + b"1".ljust(len(figure)) + comma + rest


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(pair(tmp_path_factory.mktemp("results"))["run"])


def damaged(run: Path, copy: Path, damage: Damage) -> Path:
    shutil.copytree(run, copy)
    ledger = copy / "ledger.jsonl"
    lines = damage(ledger.read_bytes().splitlines(keepends=True))
    ledger.unlink()
    if lines:
        ledger.write_bytes(b"".join(lines))
    return copy


@pytest.mark.parametrize("told", DAMAGES)
def test_who_reads_a_run_is_told_what_its_ledger_lost(run: Path, tmp_path: Path, told: str) -> None:
    copy = damaged(run, tmp_path / "run", DAMAGES[told])
    audit = hyperspace("audit", copy)
    assert audit.returncode == 1
    assert f"GOT THROUGH: ledger.jsonl: {told}" in audit.stderr
    for command in (("show", copy), ("watch", copy, "--once")):
        done = hyperspace(*command)
        assert done.returncode == 0
        assert f"ledger.jsonl: {told}" in done.stderr
    packed = tmp_path / "run.zip"
    assert told in hyperspace("export", copy, "--out", packed).stderr
    verified = hyperspace("verify", packed)
    assert verified.returncode == 1
    assert f"PROBLEM: ledger.jsonl: {told}" in verified.stdout


def test_no_call_is_taken_out_unnoticed(run: Path, tmp_path: Path) -> None:
    count = len((run / "ledger.jsonl").read_bytes().splitlines())
    copy = damaged(run, tmp_path / "run", lambda lines: lines)
    assert ledger_damage_in(copy) == ""
    for number in range(1, count - 1):  # the last one says how long was worked
        shutil.copy(run / "ledger.jsonl", copy)
        lines = (copy / "ledger.jsonl").read_bytes().splitlines(keepends=True)
        (copy / "ledger.jsonl").write_bytes(b"".join(lines[:number] + lines[number + 1 :]))
        assert ledger_damage_in(copy), number


@pytest.mark.parametrize("options", [(), ("--redact",)])
def test_a_whole_ledger_is_none_of_the_findings(
    run: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    packed = tmp_path / "run.zip"
    assert hyperspace("export", run, "--out", packed, *options).returncode == 0
    assert hyperspace("verify", packed).returncode == 0
    assert read_audit(run).through == ()
