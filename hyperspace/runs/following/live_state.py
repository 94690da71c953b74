"""The present state of a run that is watched: its events, added up."""

from typing import Final, Literal

import msgspec

from hyperspace.launch.growing_replies import GrowingReply
from hyperspace.runs.following.events import (
    Adopted,
    BudgetChanged,
    DomainChanged,
    EndReached,
    Event,
    GenerationEnded,
    LimitStruck,
    MarkWritten,
    NeedAnswered,
    NeedRaised,
    NothingSoFar,
    OutageStruck,
    Repaired,
    RepliesGrowing,
    RunFound,
    State,
    StateChanged,
    SteeringAsked,
    SteeringTaken,
    ViolationFound,
)
from hyperspace.runs.spent import Spent

ADOPTIONS_SHOWN: Final = 5


class AgentRow(msgspec.Struct):
    """How an agent stands.

    Attributes:
        agent: Its name.
        model: Its model, as written on the command line.
        budget: How many generations it has after generation 0.
        generation: What was closed last, a number or `test`; None before the first.
        valid: Whether that may become a parent.
        error: Why not; empty when valid.
        val_score: Validation score of that; None without one.
        best_generation: Generation with the best validation score; None without one.
        best_val: That score.
        test_score: Score on the sealed test split; None before the end.
        adoptions: How many strategies of peers it adopted.
        violations: How often the guard refused something.
        taken: What its calls took.
        nothing: Why its generations have come to nothing so far; empty where they did not.
    """

    agent: str
    model: str
    budget: int
    generation: int | Literal["test"] | None = None
    valid: bool = True
    error: str = ""
    val_score: float | None = None
    best_generation: int | None = None
    best_val: float | None = None
    test_score: float | None = None
    adoptions: int = 0
    violations: int = 0
    taken: Spent = Spent()
    nothing: str = ""

    def take(self, event: GenerationEnded) -> None:
        """Learn of one more generation, or of the final evaluation."""
        self.generation = event.generation
        if event.generation == "test":
            self.test_score = event.test_score
            return
        self.valid, self.error, self.val_score = event.valid, event.error, event.val_score
        if event.is_best:
            self.best_generation = event.generation
        self.best_val = event.best_val


class Board(msgspec.Struct, tag="present", tag_field="event"):
    """Everything that is shown of a run at one moment.

    Attributes:
        run: What it is; None while it is waited for.
        state: Whether it is worked on.
        holder: By whom, for people; empty if by nobody.
        sequence: The last mark that was seen.
        rows: Its agents, in turn order.
        budget: What it has spent; None before it has a ledger.
        pause: The limit or the outage at which it paused last; None if at none, or if it went on
            since.
        paused: Whether the principal has the run paused.
        needs: What agents ask and nobody has answered.
        steering: What the principal asked last; None if nothing.
        repair: The last repair of its files; None if there was none.
        domain_edit: The last edit of its domain's file; None if there was none.
        end: Where it ended before its last generation; None where it did not, or went on since.
        adoptions: How many there were.
        latest_adoptions: The last few of them.
        growing: Replies that are still being written.
    """

    run: RunFound | None = None
    state: State = "waiting"
    holder: str = ""
    sequence: int = 0
    rows: list[AgentRow] = []
    budget: BudgetChanged | None = None
    pause: LimitStruck | OutageStruck | None = None
    paused: bool = False
    needs: list[NeedRaised] = []
    steering: SteeringAsked | None = None
    repair: Repaired | None = None
    domain_edit: DomainChanged | None = None
    end: EndReached | None = None
    adoptions: int = 0
    latest_adoptions: list[Adopted] = []
    growing: tuple[GrowingReply, ...] = ()

    def take(self, event: Event) -> None:
        """Learn of one more event."""
        match event:
            case RunFound():
                self.run = event
                # In a run that was extended agents have their rows, and a larger budget.
                whole = [*zip(event.agents, event.models, event.budgets, strict=True)]
                self.rows = [*self.rows, *(AgentRow(*who) for who in whole[len(self.rows) :])]
                for row, budget in zip(self.rows, event.budgets, strict=True):
                    if row.budget != budget:  # its final evaluation is still to come
                        row.budget, row.test_score = budget, None
            case StateChanged():
                self.state, self.holder = event.state, event.holder
            case MarkWritten():
                self.sequence = event.sequence
            case BudgetChanged():
                self.budget = event
                for row in self.rows:
                    row.taken = event.by[row.agent]
            case LimitStruck() | OutageStruck():
                self.pause = event
            case NothingSoFar():
                self.row(event.agent).nothing = event.text
            case SteeringAsked():
                self.steering = event
                if event.verb in ("pause", "resume"):
                    self.paused = event.verb == "pause"
            case RepliesGrowing():
                self.growing = event.replies
            case SteeringTaken():
                pass  # told when it happens
            case NeedRaised():
                self.needs = [*self.needs, event]
            case NeedAnswered():
                self.needs = [need for need in self.needs if need.need != event.need]
            case Repaired():
                self.repair = event
            case DomainChanged():
                self.domain_edit = event
            case EndReached():
                self.end = event
            case GenerationEnded():
                self.pause = None
                if event.generation != "test":
                    self.end = None
                self.row(event.agent).take(event)
            case ViolationFound():
                self.row(event.agent).violations += event.refused
            case Adopted():
                self.row(event.agent).adoptions += 1
                self.adoptions += 1
                self.latest_adoptions = [*self.latest_adoptions, event][-ADOPTIONS_SHOWN:]

    def row(self, agent: str) -> AgentRow:
        """The row of an agent."""
        return next(row for row in self.rows if row.agent == agent)
