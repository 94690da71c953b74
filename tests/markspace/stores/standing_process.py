"""A process that stands still inside a transaction: `DSN SPACE`. It prints `inside` there."""

import os
import signal
import sys

from markspace.errors import StoreUnavailable
from markspace.stores.base import LeaseRow
from markspace.stores.postgres import PostgresStore


def main(dsn: str, space: str) -> None:
    store = PostgresStore(dsn, space)
    try:
        with store.transaction() as tx:
            tx.put_lease(LeaseRow("late", 1, "late", "{}", 1.0, 1.0))
            print("inside", flush=True)
            os.kill(os.getpid(), signal.SIGSTOP)
            tx.head()
    except StoreUnavailable as error:
        print(error, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
