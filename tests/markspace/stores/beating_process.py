"""A process that takes, beats, gives back and drops two leases: `DSN SPACE SEED`.

Others do the same. It prints every error that is no typed one of the protocol, and `end`.
"""

import random
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor

from markspace.errors import LeaseError
from markspace.keeping.leases import Lease, Leases
from markspace.stores.postgres import PostgresStore

ROUNDS = 40


def beat(leases: Leases, store: PostgresStore, rng: random.Random) -> None:
    """Do one thing with one of two leases, whoever holds it."""
    name, what = rng.choice("ab"), rng.randrange(5)
    lease = Lease(name, rng.randrange(1, 9), "somebody", 1.0, {})
    if what == 0:
        leases.acquire(name, "me", rng.choice([0.0, 0.01, 1.0]))
    elif what == 1:
        leases.release(lease)
    elif what == 2:
        with store.transaction() as tx:
            tx.drop_lease(name)
    elif what == 3:
        leases.holder(name)
    else:
        leases.renew(lease)


def main(dsn: str, space: str, seed: str) -> None:
    store = PostgresStore(dsn, space)
    leases = Leases(store)

    def play(number: int) -> None:
        rng = random.Random(f"{seed}/{number}")
        for _ in range(ROUNDS):
            try:
                beat(leases, store, rng)
            except LeaseError:
                pass
            except Exception:  # what the test looks for
                print(traceback.format_exc(), flush=True)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(play, range(2)))
    store.close()
    print("end")


if __name__ == "__main__":
    main(*sys.argv[1:])
