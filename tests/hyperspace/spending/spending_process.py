"""A process that reserves and settles in a shared ledger until a limit is reached.

    python -m tests.hyperspace.spending.spending_process DSN SPACE SEED [KILLED_AFTER]

It prints a line for each call: `reserved TOKENS` and then `settled TOKENS`. After so many
reservations it ends itself by SIGKILL, between one and its sending.
"""

import os
import random
import signal
import sys

from hyperspace.messages import Usage
from hyperspace.models.base import LimitReached
from hyperspace.spending.budget import Bound, SpendingLimits
from hyperspace.spending.ledger import Ledger
from hyperspace.spending.ledger_lines import Account
from hyperspace.spending.ledger_server import LedgerServer
from markspace.stores.postgres import PostgresStore

ACCOUNT = Account("a", 1, "modify", "modify//0", "m")
LIMITS = SpendingLimits(tokens=3_000)


def main(dsn: str, space: str, seed: str, killed_after: str = "0") -> None:
    rng, count = random.Random(seed), 0
    with Ledger(LedgerServer(PostgresStore(dsn, space), None, None), LIMITS) as ledger:
        while True:
            sent, received = rng.randrange(1, 60), rng.randrange(1, 60)
            bound = Bound(prompt_tokens=sent, completion_tokens=received, cost_usd=None)
            try:
                name = ledger.try_reserve(ACCOUNT, bound)
            except LimitReached:
                return
            assert name is not None
            count += 1
            print("reserved", sent + received, flush=True)
            if count == int(killed_after):
                os.kill(os.getpid(), signal.SIGKILL)
            usage = Usage(rng.randrange(sent + 1), rng.randrange(received + 1))
            ledger.settle(name, usage, None)
            print("settled", usage.prompt_tokens + usage.completion_tokens, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
