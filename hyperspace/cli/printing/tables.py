"""Results as tables for a terminal (plain columns when it is none)."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from rich.table import Table

from hyperspace.cli.printing.terminal import console
from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.options.solo import Optimise
from hyperspace.reporting.lines import score
from hyperspace.summaries.best_code import SCORE
from replication.result import SoloResult
from transfer_experiment.adoption.events import Adoption
from transfer_experiment.result import PairResult

Results = Sequence[dict[str, Any]]
USUAL: Final = "bubblewrap"
TEST_ONCE = "test was evaluated once, at the end"
TEST_EXPOSED = "test was looked at before the end"
_RANKED: Final[dict[Optimise, str]] = {
    "agent": "validation score",
    "ensemble": "its ensemble's validation score",
    "both": "the mean of its own and its ensemble's validation score",
}
_SOLO: Final = ("arm", "seed", "generations", "best", "initial val", "best val", "imp@k", "test")
_SOLO_SCORES: Final = ("initial_val_score", "best_val_score", "imp_at_k", "test_accuracy")


def print_result(result: PairResult | SoloResult) -> None:
    """Print what a run came to, and where everything is."""
    out, remark = console(), ""
    if result.test_exposed:
        remark = "the test split was looked at before the last generation"
    if isinstance(result, SoloResult):
        out.print(solo_table([result.fields()]))
    else:
        out.print(_agents(result))
        out.print(_adoptions(result.adoptions), markup=False)
        if result.diverged is not None:
            remark = (
                f"NOT VALID from generation {result.diverged.generation} on: the recorded agent "
                f"{result.diverged.agent} was asked what is not in its record, so adoptions from "
                "there on show nothing"
            )
    out.print(
        f"violations: {result.violations} (hyperspace audit {result.run})",
        markup=False,
        soft_wrap=True,
    )
    if remark:
        out.print(remark, markup=False)
    if result.was_finished:
        out.print("this run was finished before: no work was done", markup=False)
    if result.ended is not None:
        out.print(f"ended early: {result.ended.sentence}", markup=False, soft_wrap=True)
    out.print(f"digest {result.digest}", markup=False, soft_wrap=True)
    tell_sandbox((Path(result.run),))
    out.print(f"results in {result.run}", markup=False, soft_wrap=True)
    for line in _whereabouts(result):
        out.print(line, markup=False, soft_wrap=True)


def _whereabouts(result: PairResult | SoloResult) -> Iterator[str]:
    """Yield where the best code lies, and what to do next."""
    run = RunFolder(Path(result.run))
    config, named = read_record_of(run.root).configuration, shlex.quote(result.run)
    if (run.best / SCORE).is_file() and run.best.name not in config.agents:
        yield f"best code in {run.best / 'repo'} ({SCORE} beside it says where it came from)"
    if result.came_to_nothing:
        return  # what to do is told with the cause
    look = "analyze" if config.solo is None else "report"
    more = f"hyperspace resume {named} --generations {2 * config.generations} plays on"
    yield f"next: hyperspace {look} {named}" + ("" if config.arena is not None else f"; {more}")


def print_set(finished: Results, table: Callable[[Results], Table]) -> None:
    """Print runs of a set as a table, and where they are; nothing if there are none."""
    if finished:
        console().print(table(finished))
    for fields in finished:
        told = f"{fields['run']} digest {fields['digest']}"
        console().print(told, markup=False, soft_wrap=True)
    tell_sandbox([Path(fields["run"]) for fields in finished])


def tell_sandbox(runs: Sequence[Path]) -> None:
    """Print whose digests are not those that the same runs have in the usual sandbox."""
    kinds = dict.fromkeys(read_record_of(run).sandbox for run in runs)
    if others := [kind for kind in kinds if kind != USUAL]:
        told = (
            f"the digest belongs to sandbox {' and '.join(others)}: code sees other paths in there "
            f"than in {USUAL}, where the same run may have another one"
        )
        console().print(told, markup=False, soft_wrap=True)


def fleet_table(runs: Results) -> Table:
    """Return a row for each run of a fleet."""
    looks = TEST_EXPOSED if any(fields.get("test_exposed") for fields in runs) else TEST_ONCE
    title = f"best by validation score, in the order of agents; {looks}"
    table = Table("run", "seed", "best val", "test", "adoptions", "violations", title=title)
    for fields in runs:
        folder = Path(fields["run"])
        table.add_row(
            folder.parent.name,
            folder.name.removeprefix("seed"),
            " ".join(score(agent["best_val"]) for agent in fields["agents"]),
            " ".join(score(agent["test"]) for agent in fields["agents"]),
            "?" if fields["adoptions"] is None else str(len(fields["adoptions"])),
            str(fields["violations"]),
        )
    return table


def solo_table(runs: Results) -> Table:
    """Return a row for each solo run."""
    solos = (read_record_of(Path(fields["run"])).configuration.solo for fields in runs)
    ranked = dict.fromkeys(_RANKED["agent" if solo is None else solo.optimise] for solo in solos)
    looks = TEST_EXPOSED if any(fields["test_exposed"] for fields in runs) else TEST_ONCE
    table = Table(*_SOLO, title=f"best by {' or '.join(ranked)}; {looks}")
    for fields in runs:
        best = fields["best_gen"]
        table.add_row(
            fields["arm"],
            str(fields["seed"]),
            str(fields["max_generations"]),
            "-" if best is None else str(best),
            *(score(fields[name]) for name in _SOLO_SCORES),
        )
    return table


def _agents(result: PairResult) -> Table:
    titles = ("agent", "model", "generation", "train", "val", "test")
    looks = TEST_EXPOSED if result.test_exposed else TEST_ONCE
    table = Table(*titles, title=f"best by validation score; {looks}")
    for agent in result.agents:
        table.add_row(
            agent.name,
            agent.model,
            "-" if agent.best_generation is None else str(agent.best_generation),
            score(agent.best_train),
            score(agent.best_val),
            score(agent.test),
        )
    return table


def _adoptions(adoptions: Sequence[Adoption] | None) -> Table | str:
    if not adoptions:
        lost = "adoption events: not known, their traces were dropped and summary.json was lost"
        return lost if adoptions is None else "no adoption events"
    titles = ("agent", "from", "generation", "strategy", "ratio", "val before", "val after")
    table = Table(*titles, title="adoption events (causal rule: in sight, read, and in the code)")
    for event in adoptions:
        table.add_row(
            event.agent,
            event.peer,
            str(event.generation),
            event.strategy.rpartition("/")[2],
            f"{event.ratio:.3f}" if event.valid else f"{event.ratio:.3f} (not valid)",
            score(event.score_before),
            score(event.score_after),
        )
    return table
