"""Events and the present state as lines of plain text. Texts of agents cannot steer a terminal."""

from collections.abc import Iterator

import msgspec
from msgspec import UNSET

from hyperspace.cli.printing.progress import cost_text
from hyperspace.kernel.state.manifest import RunEnd
from hyperspace.kernel.state.scopes import GENERATIONS, NEEDS, STEERING
from hyperspace.launch.growing_replies import GrowingReply
from hyperspace.reporting.lines import counted, score
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
from hyperspace.runs.following.live_state import AgentRow, Board
from hyperspace.runs.spaces.listing import printable
from hyperspace.runs.spent import Spent

LONGEST_REASON = 400
LONGEST_OUTAGE = 1600  # its end says what to do
STATES: dict[State, str] = {
    "waiting": "waiting for the run to begin",
    "working": "worked on by",
    "idle": "nobody works on it; the same command, or hyperspace resume RUN, goes on",
    "finished": "finished",
}


def line_of(event: Event, board: Board) -> str | None:
    """Return one line for an event; None for what is shown at other times.

    Args:
        event: What happened.
        board: The state after it.
    """
    match event:
        case RunFound():
            return run_line(event)
        case StateChanged():
            return state_text(board.state, board.holder)
        case MarkWritten():  # a closing is told by what it closes, and steering by what it says
            is_told = event.scope.startswith(f"{GENERATIONS}/") or event.scope in (STEERING, NEEDS)
            return None if is_told else event.text
        case GenerationEnded():
            return _generation(event, board)
        case ViolationFound():
            where = "test" if event.generation == "test" else f"gen {event.generation}"
            text = printable(f"{event.what}: {event.verdict}: {event.reason}", LONGEST_REASON)
            return f"{event.agent} {where}: {event.topic}: {text}"
        case Adopted():
            return adoption_line(event)
        case LimitStruck() | OutageStruck():
            return pause_line(event)
        case Repaired():
            return repair_line(event)
        case DomainChanged():
            return domain_edit_line(event)
        case EndReached():
            return end_line(event)
        case NothingSoFar():
            return nothing_line(event.agent, event.text) if event.text else None
        case SteeringAsked():
            return steering_line(event)
        case SteeringTaken():
            texts = printable("; ".join(event.texts), LONGEST_REASON)
            return f"{event.agent} {_looked(event.generation)}: principal: {texts}"
        case NeedRaised():
            return need_line(event)
        case NeedAnswered():
            answer = printable(event.text, LONGEST_REASON)
            return f"need {event.need[:8]} of {event.agent} is answered: {answer}"
        case RepliesGrowing():
            return growing_line(event.replies)
        case BudgetChanged():
            return None


def present_lines(board: Board) -> Iterator[str]:
    """The whole present state."""
    if board.run is not None:
        yield run_line(board.run)
        yield from map(_row, board.rows)
    yield from standing_lines(board)


def standing_lines(board: Board) -> Iterator[str]:
    """Return what holds of the run as a whole: adoptions, budget, its last pause, who works."""
    yield from map(adoption_line, board.latest_adoptions)
    if board.budget is not None:
        yield budget_line(board.budget)
    if (growing := growing_line(board.growing)) is not None:
        yield growing
    if board.pause is not None:
        yield pause_line(board.pause)
    if board.steering is not None:
        yield steering_line(board.steering)
    yield from map(need_line, board.needs)
    if board.paused:
        yield "paused by the principal; hyperspace steer RUN resume goes on"
    if board.repair is not None:
        yield repair_line(board.repair)
    if board.domain_edit is not None:
        yield domain_edit_line(board.domain_edit)
    for row in board.rows:
        if row.nothing:
            yield nothing_line(row.agent, row.nothing)
    if board.end is not None:
        yield end_line(board.end)
    yield state_text(board.state, board.holder)


def run_line(run: RunFound) -> str:
    """Return the heading of a run."""
    names = ", ".join(run.agents)
    return printable(
        f"{names} on {run.domain}, {run.generations} generations, seed {run.seed} ({run.run})",
        LONGEST_REASON,
    )


def state_text(state: State, holder: str) -> str:
    """Return who works on a run, or how to go on with it."""
    return f"{STATES[state]} {holder}".rstrip()


def budget_line(event: BudgetChanged) -> str:
    """Return what was spent, what is reserved, and the limits."""
    limits = event.limits
    parts = (
        ("usd", limits.usd if limits.usd is None else f"${limits.usd:.2f}"),
        ("tokens", limits.tokens),
        ("hours", limits.hours),
    )
    given = ", ".join(f"{name} {value}" for name, value in parts if value is not None)
    latest = f"; last call {printable(event.latest)}" if event.latest else ""
    return (
        f"budget: spent {taken_text(event.spent)}, reserved {taken_text(event.reserved)}, "
        f"{event.worked_s:.0f} s of work; limits: {given or 'none'}{latest}"
    )


def growing_line(replies: tuple[GrowingReply, ...]) -> str | None:
    """Return which replies are still being written; None if none is."""
    texts = "; ".join(reply.text for reply in replies)
    return printable(texts, LONGEST_REASON) if texts else None


def taken_text(taken: Spent) -> str:
    """Calls, tokens and money."""
    return f"{counted(taken.calls, 'call')} {taken.tokens} tokens {cost_text(taken.usd)}"


def adoption_line(event: Adopted) -> str:
    """Who took what from whom."""
    doubt = "" if event.valid else " (not valid)"
    before, after = score(event.score_before), score(event.score_after)
    what = f"{event.strategy.rpartition('/')[2]} of {event.peer}"
    return printable(
        f"{event.agent} gen {event.generation}: adopted {what}, ratio {event.ratio:.3f}{doubt}, "
        f"val {before} -> {after}",
        LONGEST_REASON,
    )


def pause_line(event: LimitStruck | OutageStruck) -> str:
    """At which limit the run paused, or why a model did not answer and what to do."""
    if isinstance(event, LimitStruck):
        return f"paused: {printable(event.reached, LONGEST_REASON)}"
    return f"paused: {printable(event.sentence, LONGEST_OUTAGE)}"


def steering_line(event: SteeringAsked) -> str:
    """What the principal asked of the run."""
    return f"the principal asked: {printable(event.text, LONGEST_REASON)}"


def need_line(event: NeedRaised) -> str:
    """What an agent asks, and how it is answered."""
    asks = "waits for an answer" if event.blocking else "asks"
    question = printable(event.question, LONGEST_REASON)
    return (
        f"{event.agent} {_looked(event.generation)} {asks}: {question} "
        f"(hyperspace steer RUN answer {event.need[:8]} TEXT)"
    )


def _looked(generation: int | str) -> str:
    return "test" if generation == "test" else f"gen {generation}"


def repair_line(event: Repaired) -> str:
    """Return which files were made again from the space."""
    files = counted(event.count, "file")
    return printable(
        f"repaired: {files} made again from the space: {', '.join(event.problems)}", LONGEST_REASON
    )


def domain_edit_line(event: DomainChanged) -> str:
    """Return that the domain, or an extension, is other code from here on."""
    if event.extension is not UNSET:
        extension = printable(event.extension, LONGEST_REASON)
        return f"the file of the extension {extension} was edited: what comes is made with it"
    domain = printable(event.domain, LONGEST_REASON)
    return f"the file of the domain {domain} was edited: what comes is scored by other code"


def end_line(event: EndReached) -> str:
    """Return why the run ended before its last generation."""
    fields = msgspec.structs.asdict(event)
    del fields["sequence"]
    return printable(f"ended early: {RunEnd(**fields).sentence}", LONGEST_REASON)


def nothing_line(agent: str, text: str) -> str:
    """Return why an agent's generations have come to nothing so far."""
    return printable(f"{agent} has come to nothing so far: {text}", LONGEST_REASON)


def last_closed(row: AgentRow) -> str:
    """Which generation of an agent was closed last."""
    if row.generation is None:
        return "none closed yet"
    return "test" if row.generation == "test" else f"gen {row.generation}/{row.budget}"


def _row(row: AgentRow) -> str:
    best = "-" if row.best_generation is None else f"gen {row.best_generation}"
    invalid = "" if row.valid else f" invalid ({printable(row.error)})"
    return printable(
        f"{row.agent}: {last_closed(row)}{invalid}, val {score(row.val_score)}, "
        f"best val {score(row.best_val)} ({best}), test {score(row.test_score)}, "
        f"adopted {row.adoptions}, refused {row.violations}, {taken_text(row.taken)}",
        LONGEST_REASON,
    )


def _generation(event: GenerationEnded, board: Board) -> str:
    if event.generation == "test":
        return f"{event.agent} test: {score(event.test_score)}"
    outcome = f"train {score(event.train_score)} val {score(event.val_score)}"
    if not event.valid:
        outcome = f"invalid ({printable(event.error, LONGEST_REASON)})"
    row = board.row(event.agent)
    return (
        f"{event.agent} gen {event.generation}/{row.budget}: {outcome}, "
        f"best val {score(row.best_val)}; this generation took {counted(event.calls, 'call')}, "
        f"{cost_text(event.cost_usd)}, {event.seconds:.1f} s"
    )
