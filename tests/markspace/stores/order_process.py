"""Several writers in one process: `python order_process.py PLACE NAME THREADS COUNT`.

PLACE is as for `writer_process.py`; on a server the space is "order".
Every other write is a batch of 3.
"""

import sys
from threading import Thread
from uuid import UUID

from markspace import Agent, MarkSpace, Observation
from tests.markspace.stores.writer_process import opened

BATCH = 3


def write(space: MarkSpace, name: str, count: int) -> list[UUID]:
    """Write `count` times, one mark and three in turn, and return the ids in order."""
    agent = Agent(name=name, scopes={"a": ["observation"]})
    ids: list[UUID] = []
    for number in range(count):
        marks = [Observation(scope="a", topic=name) for _ in range(BATCH if number % 2 else 1)]
        ids += space.write_all((agent, mark) for mark in marks)
    return ids


def main(address: str, name: str, threads: int, count: int) -> None:
    """Write by several threads."""
    store = opened(address, "order")
    space = MarkSpace(store=store)
    names = [f"{name}.{number}" for number in range(threads)]
    writers = [Thread(target=write, args=(space, each, count)) for each in names]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    store.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
