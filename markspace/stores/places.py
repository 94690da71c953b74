"""Opening a store by its address: a path, or a PostgreSQL URL with `?space=NAME`."""

import re
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from urllib.parse import unquote, urlsplit

from markspace.errors import PlaceError, StoreMissing
from markspace.stores.base import SPACE_NAME, Store

SCHEMES = ("postgresql://", "postgres://")
FORM = "postgresql://host/database?space=NAME"

_HOST_AND_PORT = re.compile(r"(\[[^\[\]]*\]|[^:\[\]]*)(:\d*)?")
_SECRETS = ("password", "sslpassword")
_SPACE = "space="


class PlacedStore(Store, Protocol):
    """A store that has an address."""

    def copy_to(self, path: Path) -> None:
        """Write one committed state into a new SQLite file, without leases."""
        ...


class Address(NamedTuple):
    """Address of a space in PostgreSQL.

    Attributes:
        dsn: The database, as libpq takes it.
        space: Name of the space; None if the URL does not say it.
    """

    dsn: str
    space: str | None


def open_store(path_or_url: str, space: str | None = "default", **options: Any) -> PlacedStore:
    """Open the store at an address.

    Args:
        path_or_url: A path of a SQLite file, or a URL such as postgresql://host/db?space=NAME.
        space: Name of the space if the URL does not say it; None makes it a must.
        options: As for `SQLiteStore` and `PostgresStore`: synchronous, timeout_s, read_only.

    Raises:
        PlaceError: The URL is malformed, holds a password or names no space.
        StoreMissing: psycopg, which PostgreSQL needs, is not installed.
        StoreError: As for the stores.
    """
    if not path_or_url.startswith(SCHEMES):
        from markspace.stores.sqlite import SQLiteStore

        return SQLiteStore(path_or_url, **options)
    address = address_of(path_or_url)
    if (name := address.space or space) is None:
        raise PlaceError(f"the URL must name one space: {FORM}")
    try:
        from markspace.stores.postgres import PostgresStore
    except ImportError as error:
        from markspace.extras import how_to_install

        raise StoreMissing(
            f"a PostgreSQL URL needs psycopg ({error}); {how_to_install('postgres')}"
        ) from error
    return PostgresStore(address.dsn, name, **options)


def address_of(url: str) -> Address:
    """Take a URL apart. What is wrong with it is said without quoting it: it may hold secrets.

    Raises:
        PlaceError: It is not of the form that `FORM` shows, holds a password, or names two spaces
            or one that cannot be.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        raise PlaceError(f"this is not a URL of the form {FORM}") from None
    hosts = parts.netloc.rpartition("@")[2].split(",")
    options = [option for option in parts.query.split("&") if option]
    is_plain = not parts.fragment and "@" not in parts.path and all("=" in o for o in options)
    if not (is_plain and all(map(_HOST_AND_PORT.fullmatch, hosts))):
        # What libpq would quote in its messages.
        raise PlaceError(f"this is not a URL of the form {FORM}; write special characters as %XX")
    keys = [option.partition("=")[0] for option in options]
    if parts.password is not None or any(key in _SECRETS for key in keys):
        raise PlaceError(
            "a password in a URL is seen by everybody on this machine; "
            "put it into PGPASSWORD, ~/.pgpass or a service file"
        )
    names = [option.removeprefix(_SPACE) for option in options if option.startswith(_SPACE)]
    if len(names) > 1:
        raise PlaceError(f"the URL must name one space: {FORM}")
    space = unquote(names[0]) if names else None
    if space and not SPACE_NAME.fullmatch(space):
        raise PlaceError(f"a space's name has up to 40 of a-z, 0-9 and underscores: {FORM}")
    rest = "&".join(option for option in options if not option.startswith(_SPACE))
    dsn = f"postgresql://{parts.netloc}{parts.path}" + (f"?{rest}" if rest else "")
    return Address(dsn, space)
