"""Tables of the PostgreSQL store. Names compare by bytes, as everywhere else."""

from markspace.stores.base import SCHEMA_VERSION

CREATE = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    """CREATE TABLE marks (
        sequence BIGINT PRIMARY KEY,
        id BYTEA NOT NULL,
        scope TEXT COLLATE "C" NOT NULL,
        type TEXT COLLATE "C" NOT NULL,
        key TEXT COLLATE "C" NOT NULL,
        agent BYTEA NOT NULL,
        target BIGINT NOT NULL,
        state BIGINT NOT NULL DEFAULT 0,
        ended BIGINT NOT NULL DEFAULT 0,
        body BYTEA NOT NULL)""",
    "CREATE UNIQUE INDEX marks_id ON marks (id)",
    "CREATE INDEX marks_key ON marks (key, state, scope)",
    "CREATE INDEX marks_type ON marks (type, state, scope)",
    "CREATE INDEX marks_target ON marks (target) WHERE target > 0",
    "CREATE INDEX marks_agent ON marks (agent) WHERE state = 0",
    "CREATE TABLE blobs (digest BYTEA PRIMARY KEY, data BYTEA NOT NULL)",
    """CREATE TABLE audit (
        number BIGINT PRIMARY KEY,
        sequence BIGINT NOT NULL,
        clock DOUBLE PRECISION NOT NULL,
        body BYTEA NOT NULL,
        digest BYTEA NOT NULL)""",
    'CREATE TABLE scopes (name TEXT COLLATE "C" PRIMARY KEY, body BYTEA NOT NULL)',
    """CREATE TABLE leases (
        name TEXT COLLATE "C" PRIMARY KEY,
        token BIGINT NOT NULL,
        holder TEXT NOT NULL,
        info TEXT NOT NULL,
        ttl_s DOUBLE PRECISION NOT NULL,
        heartbeat DOUBLE PRECISION NOT NULL)""",
    f"INSERT INTO meta VALUES ('schema_version', '{SCHEMA_VERSION}')",  # noqa: S608 - a number
)
