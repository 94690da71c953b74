"""A small space with a bit of everything, and what a command printed about it."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from markspace import Agent, Guard, MarkSpace, MarkType, Need, Observation, Scope, Warning
from markspace.stores.base import Store

ALL = [kind.value for kind in MarkType]
ANN = Agent(name="ann", scopes={"ops": ALL})
TIME = 100.0
LONG = "x" * 10_000


class Printed(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def objects(self) -> list[Any]:
        return [json.loads(line) for line in self.lines]


Command = Callable[..., Printed]
Made = tuple[str, Store]


def fill(store: Store) -> MarkSpace:
    """Two observations, the second in place of the first; an action, a warning, three needs."""
    space = MarkSpace([Scope(name="ops"), Scope(name="lab")], clock=TIME, store=store)
    guard = Guard(space)
    first = guard.write_mark(ANN, Observation(scope="ops/web", topic="load", content={"cpu": 0.9}))
    content = {"cpu": 0.2, "log": LONG}
    guard.write_mark(
        ANN, Observation(scope="ops/web", topic="load", content=content, supersedes=first)
    )
    guard.execute(ANN, "ops/web", "server", "restart", "restarted", lambda: "done")
    guard.write_mark(ANN, Warning(scope="ops", topic="load", reason="a\x1b[2Jb\nc"))
    for priority, blocking in ((0.4, False), (0.6, True)):
        question = f"Is {priority} urgent?"
        guard.write_mark(
            ANN, Need(scope="ops", question=question, priority=priority, blocking=blocking)
        )
    guard.write_mark(ANN, Need(scope="ops/web", question="Why?", priority=0.9))
    with pytest.raises(Exception, match="may not write"):
        guard.write_mark(ANN, Observation(scope="lab", topic="load"))
    space.leases.acquire("backup", "carl", 60.0)
    return space
