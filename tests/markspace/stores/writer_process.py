"""A writer to be killed: `python writer_process.py PLACE NAME BATCH COUNT`.

PLACE is a file, or the address of a PostgreSQL server whose space "crash" is used.

Writes batches of observations and prints each batch's ids once its write returned.
"""

import sys
from uuid import NAMESPACE_OID, uuid5

from markspace import Agent, MarkSpace, Observation, Scope
from markspace.stores.base import Store
from markspace.stores.sqlite import SQLiteStore


def main(path: str, name: str, batch: int, count: int) -> None:
    """Write `count` batches, or go on until killed if it is negative."""
    agent = Agent(name=name, id=uuid5(NAMESPACE_OID, name), scopes={"s": ["observation"]})
    store = opened(path)
    space = MarkSpace([Scope(name="s")], store=store)
    handle = space.enroll(agent)
    number = 0
    while number != count:
        marks = [
            Observation(scope="s", topic=name, content={"batch": number, "text": "x" * 5000})
            for _ in range(batch)
        ]
        ids = space.write_all((handle, mark) for mark in marks)
        print(",".join(map(str, ids)), flush=True)
        number += 1
    store.close()


def opened(address: str, space: str = "crash") -> Store:
    """Open the store at a address; `space` names the one on a server."""
    if not address.startswith("postgresql:"):
        return SQLiteStore(address, timeout_s=60)
    from markspace.stores.postgres import PostgresStore

    return PostgresStore(address, space, timeout_s=60)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
