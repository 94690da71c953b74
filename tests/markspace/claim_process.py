"""A rival for resources: `python claim_process.py PATH ROUNDS`; prints what it executed."""

import random
import sys
import time

from markspace import Agent, Guard, MarkSpace, Scope
from markspace.stores.sqlite import SQLiteStore


def main(path: str, rounds: int) -> None:
    """Try to execute a 1 ms tool on each resource once, with a random confidence."""
    store = SQLiteStore(path, timeout_s=60)
    space = MarkSpace([Scope(name="a")], store=store)
    guard, rng = Guard(space), random.Random()
    for number in range(rounds):
        agent = Agent(name="rival", scopes={"a": ["intent", "action"]})
        arguments = (agent, "a", f"r{number}", "plan", "do", time.sleep, rng.random(), (0.001,))
        print(number, guard.execute(*arguments)[0].verdict.value, flush=True)
    store.close()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
