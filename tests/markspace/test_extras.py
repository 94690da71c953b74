"""What to install for an extra is what pyproject.toml says, for the Python that runs."""

import re
import shlex
import sys
import tomllib

import pytest

from markspace.extras import how_to_install, libraries_of
from tests.support.paths import ROOT, files_of_git

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = {name: set(of) for name, of in PROJECT["optional-dependencies"].items() if name != "all"}
NAMED = re.compile(r"hyperspace\[")


@pytest.mark.parametrize("extra", EXTRAS)
def test_the_libraries_of_an_extra_are_those_of_the_project(extra: str) -> None:
    assert set(libraries_of(extra)) == EXTRAS[extra]


@pytest.mark.parametrize("extra", EXTRAS)
def test_the_advice_is_a_command_for_this_python(extra: str) -> None:
    words = shlex.split(how_to_install(extra).partition(": ")[2])
    assert words[:4] == [sys.executable, "-m", "pip", "install"]
    assert set(words[4:]) == EXTRAS[extra]


def test_an_extra_that_is_not_installed_with_us_is_looked_up_in_the_project() -> None:
    assert libraries_of("absent") == []
    assert how_to_install("absent").endswith("the extra 'absent' in pyproject.toml")


def test_nothing_of_ours_names_the_program_that_has_our_name_on_pypi() -> None:
    listed = files_of_git("*.py", "*.md", "Makefile", "scripts")
    files = [ROOT / line for line in listed]
    saying = [file for file in files if file.is_file() and NAMED.search(file.read_text("utf-8"))]
    assert {file.name for file in saying} <= {"extras.py", "test_extras.py"}
