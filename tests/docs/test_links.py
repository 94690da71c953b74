"""The pages lead to where they say, and the glossary can be searched by eye."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, PAGES
from tests.support.paths import ROOT

LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_each_link_into_the_project_finds_a_file_and_a_heading(page: Path) -> None:
    for link in LINK.findall(page.read_text()):
        if "://" in link:
            continue
        path, _, place = link.partition("#")
        file = page.parent / path if path else page
        assert file.exists(), link
        assert not place or place in headings(file), link


def headings(page: Path) -> set[str]:
    """The names by which headings of a page are linked to."""
    titles = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_page_is_linked_from_the_readme() -> None:
    linked = set(LINK.findall((ROOT / "README.md").read_text()))
    assert {str(page.relative_to(ROOT)) for page in DOCS if page.parent.name != "domains"} <= linked
    assert "docs/domains/index.md" in linked


def test_every_task_is_linked_from_the_index_of_tasks() -> None:
    folder = ROOT / "docs" / "domains"
    linked = set(LINK.findall((folder / "index.md").read_text()))
    assert {page.name for page in folder.glob("*.md")} - {"index.md"} <= linked


def test_the_terms_of_the_glossary_are_in_order_and_told_once() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text()
    terms = [term.lower() for term in re.findall(r"^- \*\*(.+?)\*\*: ", text, re.MULTILINE)]
    assert len(terms) >= 50
    assert terms == sorted(set(terms))
