"""Results as tables for a terminal (plain columns when it is none)."""

import sys

from rich.console import Console
from rich.table import Table

from hyperspace.printing.progress import score_text
from transfer_experiment.result import PairResult

PLAIN_WIDTH = 120
TEST_ONCE = "test was evaluated once, at the end"
TEST_EXPOSED = "test was looked at before the end"


def print_pair(result: PairResult) -> None:
    """Print agents, adoptions, violations and where everything is."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else PLAIN_WIDTH)
    console.print(_agents(result))
    console.print(_adoptions(result) if result.adoptions else "no adoption events", markup=False)
    console.print(f"violations: {result.violations} (hyperspace audit {result.run})", markup=False)
    if result.diverged is not None:
        agent, generation = result.diverged.agent, result.diverged.generation
        text = (
            f"NOT VALID from generation {generation} on: the recorded agent {agent} was asked "
            "what is not in its record, so adoptions from there on show nothing"
        )
        console.print(text, markup=False)
    if result.was_finished:
        console.print("this run was finished before: no work was done", markup=False)
    console.print(f"digest {result.digest}", markup=False)
    console.print(f"results in {result.run}", markup=False)


def _agents(result: PairResult) -> Table:
    table = Table(title=f"best by validation score; {TEST_ONCE}")
    for title in ("agent", "model", "generation", "train", "val", "test"):
        table.add_column(title)
    for agent in result.agents:
        table.add_row(
            agent.name,
            agent.model,
            "-" if agent.best_generation is None else str(agent.best_generation),
            score_text(agent.best_train),
            score_text(agent.best_val),
            score_text(agent.test),
        )
    return table


def _adoptions(result: PairResult) -> Table:
    table = Table(title="adoption events (causal rule: in sight, read, and in the code)")
    for title in ("agent", "from", "generation", "strategy", "ratio", "val before", "val after"):
        table.add_column(title)
    for event in result.adoptions:
        table.add_row(
            event.agent,
            event.peer,
            str(event.generation),
            event.strategy.rpartition("/")[2],
            f"{event.ratio:.3f}" if event.valid else f"{event.ratio:.3f} (not valid)",
            score_text(event.score_before),
            score_text(event.score_after),
        )
    return table
