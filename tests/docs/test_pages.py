"""Pages name what is there."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import PAGES
from tests.support.paths import ROOT

PACKAGES = [folder.parent for folder in ROOT.glob("*/__init__.py") if folder.parent.name != "tests"]
TOPS = "|".join(sorted(re.escape(path.name) for path in ROOT.iterdir() if path.is_dir()))
# In the text of a page; its links are looked after in test_links.py.
FILE = re.compile(rf"(?<![\w/.(-])((?:{TOPS})/(?:[\w.-]+/)*[\w-]+\.(?:py|toml|md|svg|json))\b")
CHANGES = {"results", "data"}  # what people's commands write


def test_the_readme_has_the_two_commands_and_the_picture() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert "    make demo " in text
    assert "    make test " in text
    assert "](docs/generation.svg)" in text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_that_a_page_names_are_there(page: Path) -> None:
    named = FILE.findall(page.read_text("utf-8"))
    missing = [
        path for path in named if path.split("/")[0] not in CHANGES and not (ROOT / path).is_file()
    ]
    assert missing == []


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_folders_that_the_maps_name_are_there(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    packages = "|".join(["agents", *(package.name for package in PACKAGES)])
    named = re.findall(rf"`((?:{packages})/[\w/]+)`", text)
    assert [folder for folder in named if not (ROOT / folder).is_dir()] == []


def test_every_recipe_is_on_the_page() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    examples = sorted((ROOT / "docs" / "examples").glob("*.py"))
    assert [path.name for path in examples if f"](docs/examples/{path.name})" not in text] == []


def test_the_citation_has_what_a_reader_needs_and_nothing_made_up() -> None:
    text = (ROOT / "CITATION.cff").read_text("utf-8")
    keys = dict(re.findall(r"^([a-z-]+): *(.*)$", text, re.MULTILINE))
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert keys["cff-version"] == "1.2.0"
    assert {"message", "title", "authors", "abstract"} <= set(keys)
    assert f'version = "{keys["version"]}"' in project
    assert f'license = "{keys["license"]}"' in project
    assert not {"doi", "identifiers"} & set(keys)
    (author,) = re.findall(r"^  - name: (.*)$", text, re.MULTILINE)
    assert f"Copyright (c) 2026 {author}\n" in (ROOT / "LICENSE").read_text("utf-8")
    for line in text.splitlines():
        assert re.fullmatch(r"[a-z-]+:( \S.*)?|  \S.*", line), line


def test_the_changelog_knows_the_version() -> None:
    version = re.findall(r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    titles = re.findall(r"^## \[(.*?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert titles[:2] == ["Unreleased", *version]
