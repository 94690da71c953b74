"""What agents read and wrote, in the folder of a run; and a run on a machine that cannot see it."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hyperspace.kernel.generation.observing.accesses import Accesses, read_accesses
from tests.support.command import HYPERSPACE, PAIR, hyperspace, pair
from tests.support.paths import ROOT

pytestmark = pytest.mark.long

FEW_WATCHES = "echo 5 > /proc/sys/user/max_inotify_watches && exec "
NUMBERS = ("--generations", "2", "--seed", "3", "--sandbox", "process")


def accesses(run: Path, generation: str) -> Accesses:
    accesses = read_accesses(run / generation)
    assert accesses is not None
    return accesses


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return pair(tmp_path_factory.mktemp("seen"), "--sandbox", "process")


def test_each_generation_says_what_was_read_and_written_at_which_step(seen: Any) -> None:
    run = Path(seen["run"])
    for generation in ("tinker/gen_1", "tinker/gen_2", "magpie/gen_1", "magpie/gen_2"):
        accesses_seen = accesses(run, generation)
        assert accesses_seen.unobserved == ""
        calls = (run / generation / "llm_calls.jsonl").read_text().splitlines()
        replies = [call for call in map(json.loads, calls) if call["purpose"] == "modify"]
        steps = {record.step for record in accesses_seen.records}
        assert steps <= set(range(len(replies) + 1))
        written = {record.path: record for record in accesses_seen.records if record.lines}
        code = (run / generation / "repo" / "task_agent.py").read_text()
        if "task_agent.py" in written:
            assert any(line in code for line in written["task_agent.py"].lines)
    magpie = accesses(run, "magpie/gen_2").records
    assert any(record.path.startswith("strategies/tinker_gen") for record in magpie)
    assert read_accesses(run / "tinker" / "gen_0") is None, "nothing was modified"


def test_an_export_has_it_and_a_redacted_one_has_no_code_in_it(seen: Any, tmp_path: Path) -> None:
    run = Path(seen["run"])
    for name, options in {"all": (), "redacted": ("--redact",)}.items():
        file = tmp_path / f"{name}.tar.gz"
        assert hyperspace("export", run, "--out", file, *options).returncode == 0
        shutil.unpack_archive(file, tmp_path / name, filter="data")
    (whole, redacted) = (
        accesses(next((tmp_path / name).glob("*/*/*")), "magpie/gen_1")
        for name in ("all", "redacted")
    )
    assert whole == accesses(run, "magpie/gen_1")
    assert [r.path for r in redacted.records] == [r.path for r in whole.records]
    lines = [line for record in redacted.records for line in record.lines]
    assert lines
    assert all(line.startswith("[redacted: ") for line in lines)


def test_where_the_kernel_refuses_the_run_is_the_same_and_says_so(
    seen: Any, tmp_path: Path
) -> None:
    command = [*HYPERSPACE, "pair", *PAIR, *NUMBERS, "--results", str(tmp_path), "--json"]
    done = subprocess.run(
        ["unshare", "-Ur", "sh", "-c", FEW_WATCHES + '"$@"', "sh", *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0 and "unshare" in done.stderr:
        pytest.skip(f"no user namespace of our own: {done.stderr}")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["digest"] == seen["digest"]
    why = "the kernel does not let us watch files: the limit fs.inotify.max_user_watches is reached"
    assert accesses(Path(result["run"]), "magpie/gen_1") == Accesses((), why)
    assert done.stderr.count(f"what agents read and write is not observed: {why}") == 1
    assert done.stderr.count("edits are not seen while they are made") == 1
