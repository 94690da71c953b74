"""How addresses are written into pages: those of the server, or files of a bundle."""

from functools import lru_cache
from typing import NamedTuple, Protocol
from urllib.parse import quote, urlencode


class Links(Protocol):
    """Writes addresses."""

    def page(self, *parts: str | int, **query: str | int) -> str:
        """Return the address of a page: its parts are joined by slashes, the first one below `/`.

        Nothing in a part can leave its place: it is quoted whole.
        """
        ...

    def static(self, name: str) -> str:
        """Return the address of a file of ours, such as `dashboard.css`."""
        ...


class PageLink(NamedTuple):
    """A link to a page; `is_current` of the one that is shown."""

    label: str
    address: str
    is_current: bool = False


@lru_cache(maxsize=4096)
def _quoted(part: str | int) -> str:
    return quote(str(part), safe="")


class ServerLinks:
    """Addresses of a dashboard that runs."""

    def page(self, *parts: str | int, **query: str | int) -> str:
        """Return the address of a page."""
        path = "/" + "/".join(map(_quoted, parts))
        return f"{path}?{urlencode(query)}" if query else path

    def static(self, name: str) -> str:
        """Return the address of a file of ours."""
        return f"/static/{quote(name)}"
