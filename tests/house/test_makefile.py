"""What the Makefile starts is in git, and nothing of ours is what git was told to ignore."""

import re
from typing import Final

from tests.support.paths import ROOT, files_of_git

MAKEFILE: Final = (ROOT / "Makefile").read_text("utf-8")
INSTALLED: Final = {"pytest"}


def test_what_the_makefile_starts_is_in_git() -> None:
    files = files_of_git("--cached", "--others", "--exclude-standard")
    modules = set(re.findall(r"-m ([a-z][\w.]+)", MAKEFILE)) - INSTALLED
    assert {"benchmarks", "tests.support.screenshots"} <= modules
    for name in modules:
        path = name.replace(".", "/")
        assert {f"{path}.py", f"{path}/__main__.py"} & files, name
    assert set(re.findall(r"\bscripts/[\w/.-]+", MAKEFILE)) <= files


def test_no_python_file_beside_those_of_git_is_ignored() -> None:
    folders = {path.partition("/")[0] for path in files_of_git("--cached")} - {"results"}
    ignored = files_of_git("--others", "--ignored", "--exclude-standard")
    assert [
        path for path in ignored if path.endswith(".py") and path.partition("/")[0] in folders
    ] == []
