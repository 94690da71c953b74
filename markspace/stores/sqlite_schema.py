"""Tables of the SQLite store."""

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
    f"INSERT INTO meta VALUES ('schema_version', '{SCHEMA_VERSION}')",  # noqa: S608 - a number
)
