"""What the Makefile starts is in git, and nothing of ours is what git was told to ignore."""

import re
import subprocess
from typing import Final

import pytest

from tests.support.paths import ROOT

MAKEFILE: Final = (ROOT / "Makefile").read_text("utf-8")
INSTALLED: Final = {"pytest"}


def files_of_git(*options: str) -> set[str]:
    """Files of the checkout by the kinds that the options name."""
    listed = subprocess.run(
        ["git", "ls-files", "--exclude-standard", *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode != 0:
        pytest.skip(f"no git checkout: {listed.stderr.strip()}")
    return set(listed.stdout.splitlines())


def test_what_the_makefile_starts_is_in_git() -> None:
    files = files_of_git("--cached", "--others")
    modules = set(re.findall(r"-m ([a-z][\w.]+)", MAKEFILE)) - INSTALLED
    assert {"benchmarks", "tests.support.screenshots"} <= modules
    for name in modules:
        path = name.replace(".", "/")
        assert {f"{path}.py", f"{path}/__main__.py"} & files, name
    assert set(re.findall(r"\bscripts/[\w-]+", MAKEFILE)) <= files


def test_no_python_file_beside_those_of_git_is_ignored() -> None:
    folders = {path.partition("/")[0] for path in files_of_git("--cached")} - {"results"}
    ignored = files_of_git("--others", "--ignored")
    assert [
        path for path in ignored if path.endswith(".py") and path.partition("/")[0] in folders
    ] == []
