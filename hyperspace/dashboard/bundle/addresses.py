"""Addresses of pages as names of files, and which page an address is of."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple
from urllib.parse import urlencode

from hyperspace.dashboard.view import View
from hyperspace.kernel.files import sha256_hex

PAGES: Final = "pages"  # folder of all pages but the first
LEFT_OUT: Final = f"{PAGES}/left_out.html"
FIRST: Final = "index.html"
_UNFIT: Final = re.compile(r"[^A-Za-z0-9]+")
_MOST_LETTERS: Final = 60
_HASH_LETTERS: Final = 12


class PageAddress(NamedTuple):
    """What a page shows, whatever it is called.

    Attributes:
        parts: Of the path.
        query: Names and values behind the question mark, in order.
    """

    parts: tuple[str, ...]
    query: tuple[tuple[str, str], ...] = ()

    def file(self) -> str:
        """Return the name of its file: what can be read of it, and a hash of all."""
        whole = "/".join((*(part.replace("/", "//") for part in self.parts), urlencode(self.query)))
        words = _UNFIT.sub("-", "-".join((*self.parts, *(value for _, value in self.query))))
        digest = sha256_hex(whole.encode("utf-8", "surrogateescape"))[:_HASH_LETTERS]
        return f"{PAGES}/{words.strip('-')[:_MOST_LETTERS] or 'all'}-{digest}.html"


class PageMatch(NamedTuple):
    """A view, and the values of its address's parameters."""

    view: View
    path: Mapping[str, str]


class BundleLinks:
    """Writes addresses as files of a bundle, relative to the page that they stand in.

    Args:
        admit: Whether a page is part of the bundle; asked of each page that is named. Others lead
            to a page that says that they are left out.
        first: The page that is the first of the bundle.
        here: The page that addresses are written into.
    """

    def __init__(
        self, admit: Callable[[PageAddress], bool], first: PageAddress, here: PageAddress
    ) -> None:
        self._admit = admit
        self._first = first
        self._is_first = here == first

    def page(self, *parts: str | int, **query: str | int) -> str:
        """Return the address of a page."""
        given = tuple((name, str(value)) for name, value in query.items())
        address = PageAddress(tuple(map(str, parts)), given)
        if address == self._first:
            return self._relative(FIRST)
        return self._relative(address.file() if self._admit(address) else LEFT_OUT)

    def static(self, name: str) -> str:
        """Return the address of a file of ours."""
        return self._relative(name)

    def _relative(self, file: str) -> str:
        if self._is_first:
            return file
        return file.removeprefix(f"{PAGES}/") if file.startswith(f"{PAGES}/") else f"../{file}"


def matching_view(address: PageAddress, views: Iterable[View]) -> PageMatch | None:
    """Return the view that an address is of; None if there is none."""
    for view in views:
        names = view.path.strip("/").split("/") if view.path.strip("/") else []
        if len(names) == len(address.parts):
            pairs = list(zip(names, address.parts, strict=True))
            if all(name.startswith("{") or name == part for name, part in pairs):
                path = {name.strip("{}"): part for name, part in pairs if name.startswith("{")}
                return PageMatch(view, path)
    return None
