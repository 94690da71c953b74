"""A space to measure, of this package or another of the same API."""

from typing import Any
from uuid import uuid4

from benchmarks.markspace.bare import BATCH, HITS, TEXT, WRITERS, at_once


class Bench:
    """A space, its guard, and work for them.

    Args:
        module: The package.
        store: Where marks are kept; None is the package's own default.
    """

    def __init__(self, module: Any, store: Any) -> None:
        self.module = module
        scopes = [module.Scope(name="bench"), module.Scope(name="other")]
        options = {} if store is None else {"store": store}
        self.space = module.MarkSpace(scopes, **options)
        self.guard = module.Guard(self.space)
        self.agent = self.new_agent()
        self.batches = hasattr(self.space, "write_all")

    def new_agent(self) -> Any:
        """An agent that may write everything."""
        rights = [kind.value for kind in self.module.MarkType]
        return self.module.Agent(name="bench", scopes={"bench": rights, "other": rights})

    def mark(self, topic: str = "t") -> Any:
        """A mark to write."""
        return self.module.Observation(scope="bench", topic=topic, content=TEXT)

    def write(self, count: int) -> None:
        """Write marks one by one."""
        for _ in range(count):
            self.guard.write_mark(self.agent, self.mark())

    def write_topics(self, count: int, topics: int) -> None:
        """Write marks on many topics, one by one."""
        for number in range(count):
            self.guard.write_mark(self.agent, self.mark(f"topic{number % topics}"))

    def write_batches(self, count: int) -> None:
        """Write marks in batches."""
        for _ in range(count // BATCH):
            self.guard.write_all([(self.agent, self.mark()) for _ in range(BATCH)])

    def write_at_once(self, count: int) -> None:
        """Write marks by many threads."""
        at_once(lambda: self.write(count // WRITERS))

    def fill(self, count: int) -> None:
        """Write marks in batches, 10 of them to a topic."""
        for start in range(0, count, 1000):
            numbers = range(start, min(start + 1000, count))
            marks = [(self.agent, self.mark(f"fill{n // HITS}")) for n in numbers]
            if self.batches:
                self.space.write_all(marks)
            for who, mark in () if self.batches else marks:
                self.space.write(who, mark)

    def fill_rare(self) -> None:
        """Write 10 needs, and 10 actions on one resource."""
        for _ in range(HITS):
            self.space.write(self.agent, self.module.Need(scope="bench", question="q"))
            done = self.module.Action(scope="bench", resource="rare", action="do")
            self.space.write(self.agent, done)

    def read_topics(self, count: int) -> None:
        """Read 10 marks on a topic."""
        for number in range(count):
            marks = self.space.read("bench", topic=f"fill{number % 100}")
            assert len(marks) == HITS  # noqa: S101 - a benchmark of a wrong answer says nothing

    def read_resource(self, count: int) -> None:
        """Read the 10 marks on a resource."""
        for _ in range(count):
            self.space.read("bench", resource="rare")

    def read_type(self, count: int) -> None:
        """Read the 10 marks of a type."""
        need = self.module.MarkType.NEED
        for _ in range(count):
            self.space.read("bench", mark_type=need)

    def execute(self, count: int) -> None:
        """Run a tool on fresh resources."""
        for _ in range(count):
            self.guard.execute(self.agent, "bench", str(uuid4()), "plan", "do", int)

    def crowd(self, topics: int, subscribers: int) -> None:
        """Watch all by an envelope, write on many topics, and let many agents subscribe."""
        self.guard = self.module.Guard(self.space, envelope=self.module.StatisticalEnvelope())
        self.write_topics(topics, topics)
        pattern = self.module.WatchPattern(scope="other")
        for _ in range(subscribers):
            self.space.subscribe(self.new_agent(), [pattern])
