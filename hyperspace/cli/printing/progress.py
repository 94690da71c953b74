"""Live progress on standard error: a table with one row an agent, or plain lines.

Both are observers of `hyperspace.kernel.events`; neither decides anything.
"""

import sys
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Final

from hyperspace.cli.printing.terminal import console, escaped
from hyperspace.kernel.events import (
    AgentJoined,
    Event,
    GenerationClosed,
    ItemEvaluated,
    ModelCalled,
    Notice,
    Observer,
    PolicyJudged,
    ReplyGrowing,
    StepReached,
)
from hyperspace.launch.growing_replies import growing_text
from hyperspace.reporting.lines import score

GROWING_LINE_EVERY_S: Final = 60.0  # in plain lines, which stay
_TITLES: Final = ("agent", "generation", "doing", "last val", "best val", "calls", "cost", "s")


class AgentProgress:
    """Progress of one agent so far."""

    def __init__(self, agent: str, model: str, generations: int) -> None:
        self.agent = agent
        self.model = model
        self.generations = generations
        self.generation = 0
        self.doing = "waiting"
        self.last: float | None = None
        self.best: float | None = None
        self.calls = 0
        self.cost_usd: float | None = 0.0
        self.seconds = 0.0

    def take(self, event: Event) -> None:
        """Learn from one event about this agent."""
        match event:
            case StepReached():
                self.generation, self.doing = event.generation, event.step
            case ItemEvaluated():
                self.doing = f"{event.split} {event.done}/{event.total}"
            case ReplyGrowing():
                self.doing = f"{event.purpose}: {growing_text(event.tokens)}"
            case ModelCalled(served=False):
                self._count(1, event.cost_usd)
            case GenerationClosed():
                self._close(event)
            case ModelCalled() | PolicyJudged() | AgentJoined() | Notice():
                pass  # an earlier attempt has paid for what is served from it

    def _count(self, calls: int, cost_usd: float | None) -> None:
        self.calls += calls
        if cost_usd is None or self.cost_usd is None:
            self.cost_usd = None
        else:
            self.cost_usd += cost_usd

    def _close(self, event: GenerationClosed) -> None:
        self.generation, self.last, self.best = event.generation, event.val_score, event.best_val
        self.doing = "waiting" if event.valid else f"invalid: {event.error}"
        if event.resumed:  # told again whenever the run is opened again, which a fork does
            self.calls, self.cost_usd = event.calls, event.cost_usd
            self.seconds = max(self.seconds, event.seconds)
        else:
            self.seconds += event.seconds


def cost_text(cost_usd: float | None) -> str:
    """A price for people; unknown prices say so."""
    return "unknown" if cost_usd is None else f"${cost_usd:.2f}"


@contextmanager
def progress(agents: Iterable[tuple[str, str, int]]) -> Generator[Observer]:
    """Show progress while the context lasts.

    Args:
        agents: (agent, model, number of its last generation) in turn order.
    """
    rows = {agent: AgentProgress(agent, model, last) for agent, model, last in agents}
    shown = _live(rows) if sys.stderr.isatty() else _plain(rows)
    with shown as observer:
        yield observer


@contextmanager
def _plain(rows: dict[str, AgentProgress]) -> Generator[Observer]:
    started = time.monotonic()
    told: dict[str, float] = {}  # when a growing reply of an agent was told last

    def observe(event: Event) -> None:
        line = _remark(rows, event)
        if isinstance(event, GenerationClosed):
            line = _line(rows[event.agent], event, started)
        if isinstance(event, ReplyGrowing):
            now = time.monotonic()
            if now - told.get(event.agent, float("-inf")) >= GROWING_LINE_EVERY_S:
                told[event.agent] = now
                line = f"{event.agent} gen {event.generation} {rows[event.agent].doing}"
        if line is not None:
            print(line, file=sys.stderr, flush=True)

    yield observe


def _line(row: AgentProgress, event: GenerationClosed, started: float) -> str:
    outcome = f"train {score(event.train_score)} val {score(event.val_score)}"
    if not event.valid:
        outcome = f"invalid ({event.error})"
    if event.results_of is not None:
        outcome = f"{outcome} (code and results of gen {event.results_of})"
    resumed = " (from an earlier start)" if event.resumed else ""
    return (
        f"{row.agent} gen {event.generation}/{row.generations}: {outcome}, "
        f"best val {score(row.best)}, {row.calls} calls, {cost_text(row.cost_usd)}, "
        f"{time.monotonic() - started:.1f} s{resumed}"
    )


def _remark(rows: dict[str, AgentProgress], event: Event) -> str | None:
    """Return the line of an event that belongs to no row; None, and the row learns, of others."""
    if isinstance(event, Notice):
        return event.text
    if isinstance(event, PolicyJudged):
        return (
            f"{event.agent} gen {event.generation}: policy {event.policy} {event.outcome} "
            f"{event.path} ({event.count} found)"
        )
    if isinstance(event, AgentJoined):
        row = AgentProgress(event.agent, event.model, event.generations)
        rows.setdefault(event.agent, row).generations = event.generations
        return None
    rows[event.agent].take(event)
    return None


@contextmanager
def _live(rows: dict[str, AgentProgress]) -> Generator[Observer]:
    from rich.live import Live
    from rich.table import Table
    from rich.text import Text

    def table() -> Table:
        shown = Table(*_TITLES, expand=False)
        for row in rows.values():
            shown.add_row(
                row.agent,
                f"{row.generation}/{row.generations}",
                Text(escaped(row.doing)),
                score(row.last),
                score(row.best),
                str(row.calls),
                cost_text(row.cost_usd),
                f"{row.seconds:.1f}",
            )
        return shown

    with Live(console=console(sys.stderr), get_renderable=table, refresh_per_second=8) as live:

        def observe(event: Event) -> None:
            line = _remark(rows, event)
            if line is not None:
                live.console.print(line, markup=False)

        yield observe
        live.refresh()
