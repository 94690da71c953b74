"""What the command keeps to itself: its memory, and the files that it makes."""

import os
import re
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import HYPERSPACE, hyperspace, pair

NOBODY = 65534
AS_NOBODY = (
    *("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
    *("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"),
)
"""Of root, who may look at everything: as somebody else, but able to read this Python."""


def modes(folder: Path) -> set[tuple[str, str]]:
    """Kinds and rights of all that lies in a folder."""
    return {
        ("folder" if path.is_dir() else "file", oct(stat.S_IMODE(path.lstat().st_mode)))
        for path in folder.rglob("*")
        if not path.is_symlink()
    }


def owner_of(process: subprocess.Popen[str]) -> int:
    """Who may look into a process, beside root: whoever its files in /proc belong to."""
    return Path(f"/proc/{process.pid}/environ").stat().st_uid


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="of prctl(2)")
def test_no_other_process_of_this_user_looks_into_a_command_and_none_dumps_core() -> None:
    me = os.geteuid()
    start = () if me else AS_NOBODY
    with (
        socket.create_server(("127.0.0.1", 0)) as silent,
        subprocess.Popen([*start, "sleep", "60"], text=True) as other,
    ):
        name = f"m@http://127.0.0.1:{silent.getsockname()[1]}/v1"
        command = [*start, *HYPERSPACE, "models", "--ping", name]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL, text=True) as asking:
            connection, _ = silent.accept()
            assert (owner_of(asking), owner_of(other)) == (0, me or NOBODY)
            limits = Path(f"/proc/{asking.pid}/limits").read_text()
            assert re.search(r"Max core file size +0 ", limits)
            asking.kill()
            connection.close()
        other.kill()


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ((), {("folder", "0o700"), ("file", "0o600")}),
        (("--share-with-group",), {("folder", "0o750"), ("file", "0o640")}),
    ],
)
def test_a_run_is_its_owners_unless_it_is_shared(
    more: tuple[str, ...], expected: set[tuple[str, str]], tmp_path: Path
) -> None:
    pair(tmp_path / "results", *more, generations=1)
    assert modes(tmp_path) == expected


@pytest.mark.long
def test_a_resume_keeps_the_rights_of_the_run_and_an_export_is_private(tmp_path: Path) -> None:
    run = Path(pair(tmp_path / "results", generations=1)["run"])
    run.chmod(0o755)
    before = set(run.rglob("*"))
    done = hyperspace("resume", run, "--generations", "2")
    assert done.returncode == 0, done.stderr
    moved = run / "abandoned"
    made = {p for p in set(run.rglob("*")) - before if moved not in (p, *p.parents)}
    assert {oct(stat.S_IMODE(path.stat().st_mode)) for path in made} == {"0o755", "0o644"}
    packed = tmp_path / "packed.tar.gz"
    assert hyperspace("export", run, "--out", packed).returncode == 0
    assert stat.S_IMODE(packed.stat().st_mode) == 0o600
