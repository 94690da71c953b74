"""Libraries of others are what their list says, and come with their licences."""

from hashlib import sha256
from pathlib import Path

import pytest

from hyperspace.dashboard.app import static_file
from hyperspace.dashboard.vendor import VendoredLibrary, content, libraries
from tests.support.paths import ROOT

VENDOR = ROOT / "hyperspace" / "dashboard" / "vendor"


@pytest.mark.parametrize("library", libraries(), ids=lambda library: library.name)
def test_a_library_is_what_its_list_says_and_has_its_licence(library: VendoredLibrary) -> None:
    folder = VENDOR / f"{library.name}-{library.version}"
    assert {f"{folder.name}/{path.name}" for path in folder.iterdir()} == {
        file.path for file in library.files
    }
    assert "LICENSE" in {file.name for file in library.files}
    for file in library.files:
        assert sha256((VENDOR / file.path).read_bytes()).hexdigest() == file.sha256


def test_nothing_but_listed_libraries_is_kept() -> None:
    folders = {path.name for path in VENDOR.iterdir() if path.is_dir()} - {"__pycache__"}
    assert folders == {f"{library.name}-{library.version}" for library in libraries()}


def test_a_file_is_served_by_its_name_alone() -> None:
    assert static_file("uPlot.iife.min.js") == content("uPlot.iife.min.js")
    for name in ("../view.py", "nothing.js", "uplot-1.6.32/LICENSE"):
        with pytest.raises(FileNotFoundError):
            static_file(name)


def test_our_own_scripts_are_checked_and_write_no_markup() -> None:
    for script in Path(ROOT / "hyperspace" / "dashboard" / "static").glob("*.js"):
        text = script.read_text("utf-8")
        assert text.startswith("// @ts-check\n")
        assert "innerHTML" not in text
