"""Tables and statements of the SQLite store."""
# ruff: noqa: S608 - only our own names of columns are put into statements, never values

from markspace.stores.base import SCHEMA_VERSION

CREATE = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    """CREATE TABLE marks (
        sequence INTEGER PRIMARY KEY,
        id BLOB NOT NULL,
        scope TEXT NOT NULL,
        type TEXT NOT NULL,
        key TEXT NOT NULL,
        agent BLOB NOT NULL,
        target INTEGER NOT NULL,
        state INTEGER NOT NULL DEFAULT 0,
        ended INTEGER NOT NULL DEFAULT 0,
        body BLOB NOT NULL) STRICT""",
    "CREATE UNIQUE INDEX marks_id ON marks (id)",
    "CREATE INDEX marks_key ON marks (key, state, scope)",
    "CREATE INDEX marks_type ON marks (type, state, scope)",
    "CREATE INDEX marks_target ON marks (target) WHERE target > 0",
    "CREATE INDEX marks_agent ON marks (agent) WHERE state = 0",
    "CREATE TABLE blobs (digest BLOB PRIMARY KEY, data BLOB NOT NULL) STRICT",
    """CREATE TABLE audit (
        number INTEGER PRIMARY KEY,
        sequence INTEGER NOT NULL,
        clock REAL NOT NULL,
        body BLOB NOT NULL,
        digest BLOB NOT NULL) STRICT""",
    "CREATE TABLE scopes (name TEXT PRIMARY KEY, body BLOB NOT NULL) STRICT, WITHOUT ROWID",
    """CREATE TABLE leases (
        name TEXT PRIMARY KEY,
        token INTEGER NOT NULL,
        holder TEXT NOT NULL,
        info TEXT NOT NULL,
        ttl_s REAL NOT NULL,
        heartbeat REAL NOT NULL) STRICT, WITHOUT ROWID""",
    f"INSERT INTO meta VALUES ('schema_version', '{SCHEMA_VERSION}')",
)

COLUMNS = "sequence, body, state, ended"
ALIVE = "state = 0"
ALIVE_AT = "state IN (0, 1, 2) AND sequence <= :upto AND (ended = 0 OR ended > :upto)"

HEAD = "SELECT sequence, number, clock, digest FROM audit ORDER BY number DESC LIMIT 1"
GET = f"SELECT {COLUMNS} FROM marks WHERE id = ?"
FILING = "SELECT scope, type, key, agent FROM marks WHERE sequence = ?"
SCAN = f"SELECT {COLUMNS} FROM marks WHERE sequence > ? ORDER BY sequence LIMIT ?"
LIVE_COUNT = "SELECT count(*) FROM marks WHERE agent = ? AND state = 0"
ENTRIES = "SELECT number, body, digest FROM audit WHERE number > ? ORDER BY number LIMIT ?"
LEASE = "SELECT name, token, holder, info, ttl_s, heartbeat FROM leases WHERE name = ?"
LEASES = (
    "SELECT name, token, holder, info, ttl_s, heartbeat FROM leases "
    "WHERE name >= ? AND name < ? ORDER BY name"
)
BLOB = "SELECT data FROM blobs WHERE digest = ?"

APPEND = (
    "INSERT INTO marks (sequence, id, scope, type, key, agent, target, body) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
SUPERSEDE = (
    "UPDATE marks SET state = max(state, 1), ended = iif(ended = 0, ?2, ended) WHERE sequence = ?1"
)
ARCHIVE = "UPDATE marks SET state = 2 WHERE sequence = ?"
PUT_BLOB = "INSERT OR IGNORE INTO blobs VALUES (?, ?)"
ADD_ENTRY = "INSERT INTO audit (number, body, digest, sequence, clock) VALUES (?, ?, ?, ?, ?)"
PUT_SCOPE = "INSERT OR REPLACE INTO scopes VALUES (?, ?)"
PUT_LEASE = "INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?, ?, ?)"
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
