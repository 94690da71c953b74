"""Statements and tables that SQLite and PostgreSQL share. Names compare by bytes everywhere."""
# ruff: noqa: S608 - only our own names of columns are put into statements, never values

import re
from functools import cache
from typing import Literal, NamedTuple

from markspace.stores.base import SCHEMA_VERSION

COLUMNS = "sequence, body, state, ended"
ALIVE = "state = 0"
ALIVE_AT = "state IN (0, 1, 2) AND sequence <= :upto AND (ended = 0 OR ended > :upto)"

Style = Literal["qmark", "format"]

HEAD = "SELECT sequence, number, clock, digest FROM audit ORDER BY number DESC LIMIT 1"
GET = f"SELECT {COLUMNS} FROM marks WHERE id = ?"
FILING = "SELECT scope, type, key, agent FROM marks WHERE sequence = ?"
SCAN = f"SELECT {COLUMNS} FROM marks WHERE sequence > ? ORDER BY sequence LIMIT ?"
TARGETS = "SELECT sequence, target FROM marks WHERE target <> 0"
AGENT_INDEX = "CREATE INDEX marks_agent ON marks (agent) WHERE state = 0"
LIVE_COUNT = "SELECT count(*) FROM marks WHERE agent = ? AND state = 0"
ENTRIES = (
    "SELECT number, body, digest, sequence, clock FROM audit "
    "WHERE number > ? ORDER BY number LIMIT ?"
)
LEASE = "SELECT name, token, holder, info, ttl_s, heartbeat FROM leases WHERE name = ?"
LEASES = (
    "SELECT name, token, holder, info, ttl_s, heartbeat FROM leases "
    "WHERE name >= ? AND name < ? ORDER BY name"
)
SCOPE = "SELECT body FROM scopes WHERE name = ?"
SCOPES = "SELECT name, body FROM scopes ORDER BY name"
BLOB = "SELECT data FROM blobs WHERE digest = ?"
DIGESTS = "SELECT digest FROM blobs WHERE digest > ? ORDER BY digest LIMIT ?"

APPEND = (
    "INSERT INTO marks (sequence, id, scope, type, key, agent, target, body) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
SUPERSEDE = (
    "UPDATE marks SET state = CASE WHEN state = 0 THEN 1 ELSE state END, "
    "ended = CASE WHEN ended = 0 THEN ? ELSE ended END WHERE sequence = ?"
)
ARCHIVE = "UPDATE marks SET state = 2 WHERE sequence = ?"
PUT_BLOB = "INSERT INTO blobs VALUES (?, ?) ON CONFLICT DO NOTHING"
ADD_ENTRY = "INSERT INTO audit (number, body, digest, sequence, clock) VALUES (?, ?, ?, ?, ?)"
PUT_SCOPE = "INSERT INTO scopes VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET body = excluded.body"
PUT_LEASE = (
    "INSERT INTO leases VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET "
    "token = excluded.token, holder = excluded.holder, info = excluded.info, "
    "ttl_s = excluded.ttl_s, heartbeat = excluded.heartbeat"
)
DROP_LEASE = "DELETE FROM leases WHERE name = ?"


def select(by: str, *, alive: bool, exact: bool) -> str:
    """Return the statement that selects a subtree by `key = :by` or `type = :by`."""
    when = ALIVE if alive else ALIVE_AT
    part = f"SELECT {COLUMNS}, type FROM marks WHERE {by} = :by AND {when} AND "
    below = "" if exact else f" UNION ALL {part} scope >= :low AND scope < :high"
    return f"{part} scope = :scope{below}"


SELECT = {
    (by, alive, exact): select(by, alive=alive, exact=exact)
    for by in ("key", "type")
    for alive in (True, False)
    for exact in (True, False)
}


def warnings(count: int, *, alive: bool) -> str:
    """Return the statement that finds warnings against `count` targets."""
    marks = ", ".join("?" * count)
    when = "state = 0" if alive else "sequence <= ? AND (ended = 0 OR ended > ?)"
    return f"SELECT {COLUMNS} FROM marks WHERE target > 0 AND target IN ({marks}) AND {when}"


@cache
def placed(statement: str, style: Style) -> str:
    """Return a statement with the placeholders of SQLite (qmark) or psycopg (format)."""
    if style == "qmark":
        return statement
    return re.sub(r":(\w+)", r"%(\1)s", statement).replace("?", "%s")


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
        f"INSERT INTO meta VALUES ('schema_version', '{SCHEMA_VERSION}')",
    )
