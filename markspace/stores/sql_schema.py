"""Tables of the SQL stores. Names compare by bytes everywhere."""

from typing import NamedTuple

from markspace.stores.base import SCHEMA_VERSION


class ColumnTypes(NamedTuple):
    """Column types and table options of a database.

    Attributes:
        integer: 64 bits.
        real: 64 bits.
        data: Bytes.
        name: Text that compares by bytes.
        rows: Options of a table whose rows have numbers or hashes.
        named: Options of a table whose rows have names.
    """

    integer: str
    real: str
    data: str
    name: str
    rows: str = ""
    named: str = ""


SQLITE = ColumnTypes("INTEGER", "REAL", "BLOB", "TEXT", " STRICT", " STRICT, WITHOUT ROWID")
POSTGRES = ColumnTypes("BIGINT", "DOUBLE PRECISION", "BYTEA", 'TEXT COLLATE "C"')


def create_statements(types: ColumnTypes) -> tuple[str, ...]:
    """Return the statements that make an empty space."""
    integer, real, data, name, rows, named = types
    return (
        f"CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL){named}",
        f"""CREATE TABLE marks (
        sequence {integer} PRIMARY KEY,
        id {data} NOT NULL,
        scope {name} NOT NULL,
        type {name} NOT NULL,
        key {name} NOT NULL,
        agent {data} NOT NULL,
        target {integer} NOT NULL,
        state {integer} NOT NULL DEFAULT 0,
        ended {integer} NOT NULL DEFAULT 0,
        body {data} NOT NULL){rows}""",
        "CREATE UNIQUE INDEX marks_id ON marks (id)",
        "CREATE INDEX marks_key ON marks (key, state, scope)",
        "CREATE INDEX marks_type ON marks (type, state, scope)",
        "CREATE INDEX marks_target ON marks (target) WHERE target > 0",
        "CREATE INDEX marks_agent ON marks (agent) WHERE state = 0",
        f"CREATE TABLE blobs (digest {data} PRIMARY KEY, data {data} NOT NULL){rows}",
        f"""CREATE TABLE audit (
        number {integer} PRIMARY KEY,
        sequence {integer} NOT NULL,
        clock {real} NOT NULL,
        body {data} NOT NULL,
        digest {data} NOT NULL){rows}""",
        f"CREATE TABLE scopes (name {name} PRIMARY KEY, body {data} NOT NULL){named}",
        f"""CREATE TABLE leases (
        name {name} PRIMARY KEY,
        token {integer} NOT NULL,
        holder TEXT NOT NULL,
        info TEXT NOT NULL,
        ttl_s {real} NOT NULL,
        heartbeat {real} NOT NULL){named}""",
        f"INSERT INTO meta VALUES ('schema_version', '{SCHEMA_VERSION}')",  # noqa: S608 - a number
    )
