"""Opening a store by its place: a path, or a PostgreSQL URL with `?space=NAME`."""

from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from markspace.errors import StoreMissing
from markspace.stores.base import Store

SCHEMES = ("postgresql", "postgres")
SPACE = "space"


def open_store(place: str, space: str = "default", **options: Any) -> Store:
    """Open the store at a place.

    Args:
        place: A path of a SQLite file, or a URL such as postgresql://host/db?space=NAME.
        space: Name of the space if the URL does not say it.
        options: As for `SQLiteStore` and `PostgresStore`: synchronous, timeout_s, read_only.

    Raises:
        StoreMissing: psycopg, which PostgreSQL needs, is not installed.
        StoreError: As for the stores.
    """
    parts = urlsplit(place)
    if parts.scheme not in SCHEMES:
        from markspace.stores.sqlite import SQLiteStore

        return SQLiteStore(place, **options)
    try:
        from markspace.stores.postgres import PostgresStore
    except ImportError as error:
        raise StoreMissing(
            "a PostgreSQL space needs psycopg: pip install 'hyperspace[postgres]'"
        ) from error
    fields = dict(parse_qsl(parts.query))
    name = fields.pop(SPACE, space)
    return PostgresStore(urlunsplit(parts._replace(query=urlencode(fields))), name, **options)
