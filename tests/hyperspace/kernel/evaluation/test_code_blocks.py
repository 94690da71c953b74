"""Items of code share a sandbox, and each has as much of its bounds as ever."""

import json
from pathlib import Path

import pytest

from hyperspace.tasks.registry import load
from tests.support.command import hyperspace
from tests.support.sandboxes import needs_bubblewrap

FORWARD = "    def forward(self"
LEAVINGS = {
    "files that stay open": "KEPT.extend(open('/dev/null') for _ in range(8))",
    "files of two megabytes": (
        "KEPT.append(open(f'/tmp/{len(KEPT)}', 'wb').write(bytes(2_000_000)))"
    ),
    "lines": "print('x' * 100_000)",
}


@pytest.mark.long
@needs_bubblewrap
@pytest.mark.parametrize("line", LEAVINGS.values(), ids=LEAVINGS)
def test_what_an_item_leaves_behind_takes_nothing_from_those_behind_it(
    tmp_path: Path, line: str
) -> None:
    source = load("email_validation").seed_files()["task_agent.py"].decode()
    head, body = source.split(FORWARD, 1)
    signature, rest = body.split("\n", 1)
    code = f"{head}{FORWARD}{signature}\n        {line}\n{rest}\n\nKEPT = []\n"
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "task_agent.py").write_text(code)
    done = hyperspace(
        *("solo", "--domain", "email_validation", "--initial", tmp_path / "code"),
        *("--iterations", "1", "--no-controls", "--results", tmp_path / "results", "--json"),
    )
    assert done.returncode == 0, done.stderr
    run = Path(json.loads(done.stdout)["run"])
    for split in ("train", "val"):
        (report,) = run.glob(f"*/gen_0/eval_{split}/report.json")
        told = json.loads(report.read_text())
        assert not told.get("errors"), told["errors"]
        assert told["score"] > 0.5
