"""A bundle as somebody finds it on a disk: its pages, and where their links lead."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from tests.hyperspace.reporting.test_page import Outline

LINKS = ("href", "src", "action")


def pages(bundle: Path) -> dict[str, Outline]:
    """All pages by their paths; each is whole HTML."""
    found = sorted(bundle.rglob("*.html"))
    return {page.relative_to(bundle).as_posix(): Outline(page.read_text("utf-8")) for page in found}


def dead_links(bundle: Path) -> list[str]:
    """Addresses in pages that lead to no file of the bundle, or out of it."""
    dead: list[str] = []
    for path, outline in pages(bundle).items():
        for _, attributes in outline.tags:
            for name in LINKS:
                address = attributes.get(name)
                if not address or address == "data:,":
                    continue
                parts = urlsplit(address)
                target = ((bundle / path).parent / unquote(parts.path)).resolve()
                if parts.path == "":  # within the page
                    target = bundle / path
                inside = target.is_relative_to(bundle.resolve()) and target.is_file()
                if parts.scheme or parts.netloc or not inside:
                    dead.append(f"{path}: {address}")
    return dead
