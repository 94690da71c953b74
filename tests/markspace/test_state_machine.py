"""Any order of writes, claims, crashes and reopenings agrees with a simple model."""

from uuid import UUID

from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, precondition, rule

from markspace import (
    Action,
    Agent,
    DecayConfig,
    Guard,
    GuardVerdict,
    MarkSpace,
    MarkType,
    Need,
    Observation,
    Scope,
    WatchPattern,
)
from markspace.errors import ClaimError
from tests.markspace.places import MakePlace, Place, run_machine

ALL = [kind.value for kind in MarkType]
HALF_LIFE = 100.0
AGENTS = [Agent(name=name, scopes={"a": ALL}) for name in ("ann", "bob", "cat")]
agents = st.sampled_from(AGENTS)
topics = st.sampled_from("tu")
resources = st.sampled_from("rs")


class SpaceMachine(RuleBasedStateMachine):
    """A space beside a model: the live observations by topic, open needs, and facts."""

    marks = Bundle("marks")

    def __init__(self, home: Place) -> None:
        super().__init__()
        self.home = home
        self.store = home.open()
        self.time = 0.0
        self.live: dict[UUID, tuple[str, float]] = {}
        self.needs: set[UUID] = set()
        self.facts: dict[str, UUID] = {}
        self.granted: dict[str, tuple[UUID, UUID]] = {}
        self.heard: list[UUID] = []
        self.count = 0
        self.open()
        self.space.subscribe(AGENTS[0], [WatchPattern("a", MarkType.OBSERVATION)])

    def open(self) -> None:
        """Open the space anew over the store."""
        scope = Scope(name="a", decay=DecayConfig(HALF_LIFE, HALF_LIFE, 1e9))
        self.space = MarkSpace([scope], clock=self.time, store=self.store)
        self.guard = Guard(self.space)

    def noted(self, who: Agent, names: list[UUID], topic: str) -> None:
        """Let the model know of observations."""
        self.live.update(dict.fromkeys(names, (topic, self.time)))
        self.heard += names if who is not AGENTS[0] else []

    @rule(target=marks, who=agents, topic=topics, guarded=st.booleans())
    def observe(self, who: Agent, topic: str, guarded: bool) -> UUID:
        """Write an observation."""
        write = self.guard.write_mark if guarded else self.space.write
        name = write(who, Observation(scope="a", topic=topic, content={"n": self.count}))
        self.noted(who, [name], topic)
        return name

    @rule(who=agents, topic=topics, size=st.integers(1, 4))
    def batch(self, who: Agent, topic: str, size: int) -> None:
        """Write a batch."""
        writes = [(who, Observation(scope="a", topic=topic)) for _ in range(size)]
        self.noted(who, self.space.write_all(writes), topic)

    @rule(who=agents, old=marks, topic=topics, whole=st.booleans())
    def replace(self, who: Agent, old: UUID, topic: str, whole: bool) -> None:
        """Supersede a mark, or try to in a batch that fails."""
        newer = Observation(scope="a", topic=topic, supersedes=old)
        if not whole:
            bad = Observation(scope="a", supersedes=UUID(int=1))
            try:
                self.space.write_all([(who, newer), (who, bad)])
            except Exception:
                return
            raise AssertionError("a batch with a bad mark was accepted")
        name = self.space.write(who, newer)
        self.live.pop(old, None)
        self.noted(who, [name], topic)

    @rule(who=agents)
    def ask(self, who: Agent) -> None:
        """Write a need."""
        self.needs.add(self.space.write(who, Need(scope="a", question="?")))

    @rule(who=agents)
    def answer(self, who: Agent) -> None:
        """Resolve a need."""
        if self.needs:
            done = self.space.write(who, Action(scope="a", resource="answer"))
            self.space.resolve(self.needs.pop(), done, agent=who)

    @rule(who=agents, resource=resources, confidence=st.floats(0, 1))
    def claim(self, who: Agent, resource: str, confidence: float) -> None:
        """Declare a claim; nobody but the author of a fact gets past it."""
        decision = self.guard.pre_action(who, "a", resource, "x", confidence)
        fact = self.facts.get(resource)
        assert (decision.intent_id is None) == (fact not in (None, who.id))
        if decision.verdict is GuardVerdict.ALLOW:
            assert decision.intent_id is not None
            self.granted[resource] = (who.id, decision.intent_id)

    @rule(who=agents, resource=resources)
    def act(self, who: Agent, resource: str) -> None:
        """Act; only the holder of the present grant may."""
        holder = self.granted.get(resource)
        try:
            self.guard.post_action(who, "a", resource, "do", None)
        except ClaimError:
            assert holder is None or holder[0] != who.id or self.lost(resource, holder[1])
        else:
            assert holder is not None
            assert holder[0] == who.id
            self.facts[resource] = who.id
            del self.granted[resource]

    def lost(self, resource: str, intent_id: UUID) -> bool:
        """Return whether a granted claim was replaced by its own agent's weaker one."""
        return all(i.id != intent_id for i in self.space.get_intents("a", resource))

    @rule(seconds=st.floats(-50, 200))
    def wait(self, seconds: float) -> None:
        """Move the clock, perhaps backwards."""
        self.space.set_clock(self.time + seconds)
        self.time = max(self.time, self.time + seconds)
        self.space.set_clock(self.time)

    @rule()
    def collect(self) -> None:
        """Archive what is dead."""
        self.space.gc()

    @invariant()
    def reads_agree(self) -> None:
        """Reads return what the model holds, by strength."""
        for topic in "tu":
            read = self.space.read("a", topic=topic, min_strength=0.25)
            expected = {n for n, (t, born) in self.live.items() if t == topic and self.fresh(born)}
            assert {mark.id for mark in read} == expected

    def fresh(self, born: float) -> bool:
        """Return whether an observation is at most two half-lives old."""
        return 0.5 ** ((self.time - born) / HALF_LIFE) >= 0.25

    @invariant()
    def needs_agree(self) -> None:
        """Open needs are those that nobody answered."""
        open_needs = {need.id for c in self.space.aggregate_needs() for need in c.needs}
        assert open_needs == self.needs

    @invariant()
    def order_is_whole(self) -> None:
        """Sequences have no gaps and times never decrease."""
        history = list(self.space.history(after=self.count))
        assert [s for s, _ in history] == list(range(self.count + 1, self.space.head() + 1))
        self.count = self.space.head()

    @rule()
    def listen(self) -> None:
        """The subscriber hears of everything once, in order, but of what was archived since."""
        heard = [mark.id for mark in self.space.get_watched_marks(AGENTS[0])]
        assert heard == [name for name in self.heard if name in set(heard)]
        missed = [self.live[name] for name in set(self.heard) - set(heard) if name in self.live]
        assert not any(self.fresh(born) for _, born in missed)
        self.heard = []

    @precondition(lambda self: self.home.durable)
    @rule()
    def reopen(self) -> None:
        """Close the store and open it again; subscriptions end with their process."""
        self.store.close()
        self.store = self.home.open()
        self.open()
        self.heard = []
        self.space.subscribe(AGENTS[0], [WatchPattern("a", MarkType.OBSERVATION)])

    def teardown(self) -> None:
        """The whole history verifies, and nothing is left behind."""
        result = self.space.verify()
        assert result.ok, result.problem
        self.store.close()
        self.home.remove()


def test_any_order_of_steps_agrees_with_the_model(make_place: MakePlace) -> None:
    run_machine(SpaceMachine, make_place)
