"""Makes a run of many agents and generations: what is closed is made up, how it is closed is not.

Scores rise, code grows out of its parent's, and at times an agent takes lines of a peer's strategy.
Every generation asks a model once, so traces and the ledger are there, too. The frozen runtime, of
which every generation of a played run has a copy that no page reads, is left out.
"""

import time
from pathlib import Path
from random import Random
from typing import Final

import anyio
import msgspec

from benchmarks.long_run import opened
from hyperspace.kernel.events import Event
from hyperspace.kernel.generation.attempt import Attempt, Took
from hyperspace.kernel.generation.candidate import GATES, Candidate, Chosen
from hyperspace.kernel.generation.publish import publish
from hyperspace.kernel.generation.report import report
from hyperspace.kernel.generation.run_context import Participant, RunContext
from hyperspace.kernel.generation.visible_strategies import VisibleStrategies, snapshot_visible
from hyperspace.kernel.run.recover import recover
from hyperspace.kernel.state.folder import TRACE
from hyperspace.kernel.state.manifest import Closing, SplitResult, Violation
from hyperspace.messages import Usage
from hyperspace.spending.budget import Bound
from hyperspace.spending.ledger_lines import Account
from hyperspace.tracing.calls import CallRecord, RecordedUsage
from hyperspace.wall_clock import utc_now
from hyperspace.workspace.workspace import Strategy

MOST_LINES: Final = 60  # of code
LAST_KEPT: Final = 100
TASK: Final = "task_agent.py"
PRICE_USD: Final = 0.001
REST_S: Final = 1.0


def make_fleet(
    run: Path, agents: int, last: int, whole: int | None = None, resting: int = 0
) -> None:
    """Make a run; it is unfinished, as one that goes on.

    Args:
        run: Its folder, which is not there yet.
        agents: How many play.
        last: The last generation of each.
        whole: How many agents have the folders of all their generations; the others have those of
            their bests and of the last hundred, beside all marks and lines. None: all of them.
        resting: Generations at the end that are closed `REST_S` apart.
    """
    names = tuple(f"agent{number:02}" for number in range(agents))
    with opened(run, _tell_nobody, names, last) as (context, _):
        context = msgspec.structs.replace(context, runtime={})
        recover(context)
        sights: dict[str, VisibleStrategies] = {}
        published = -1
        for number in range(last + 1):
            bests = sum(len(each.published_before(number)) for each in context.archives.values())
            if bests != published:  # there is something new to see
                sights, published = {}, bests
            for who in context.participants:
                if who.name not in sights:
                    sights[who.name] = snapshot_visible(context, who, number, {})
                is_whole = whole is None or who.turn < whole or number > last - LAST_KEPT
                if number > last - resting:
                    time.sleep(REST_S)
                _close(context, who, number, sights[who.name], is_whole=is_whole)


def _close(
    context: RunContext,
    who: Participant,
    number: int,
    sight: VisibleStrategies,
    *,
    is_whole: bool,
) -> None:
    """Close a generation with a made-up outcome."""
    chance, archive = Random(f"{who.name} {number}"), context.archives[who.name]
    candidate = Candidate.fork(context, who, number, sight, Chosen(context.select(archive, chance)))
    if number:
        candidate.code[TASK] = _changed(candidate.code[TASK], who, number, sight, chance)
    candidate.gates = dict.fromkeys(GATES, "passed")
    if chance.random() < 0.02:
        what = Violation("edit-scope", "a file was changed", "evals/a.csv", "restored", "no")
        candidate.violations = (what,)
    best = archive.best.fitness if archive.best else 0.3
    beats = number == 0 or chance.random() < 0.003
    score = round(best + (1 - best) * 0.1 if beats else best * chance.random(), 4)
    for split in ("train", "val"):
        answers = {item.id: "yes" for item in context.domain.items(split)}
        candidate.splits[split] = SplitResult(answers, score, 1)
    if is_whole or beats:
        with Attempt(context, who, number, f"gen_{number}") as attempt:
            attempt.reach("look")
            (attempt.folder / TRACE).write_bytes(_call(context, who, number) if number else b"")
            attempt.edit_log("").append(TASK, None, None, final=True)
            attempt.call_count, attempt.cost_usd = 1, PRICE_USD
            report(context, who, anyio.run(publish, attempt, [candidate], sight))
    else:
        _call(context, who, number)
        _close_without_folder(context, who, candidate)


def _close_without_folder(context: RunContext, who: Participant, candidate: Candidate) -> None:
    """Write the marks and the lines of a generation that is no new best, and no file of its own."""
    manifest = candidate.manifest(context, (), ())
    closing = Closing(
        manifest=manifest,
        files={f"repo/{path}": digest for path, digest in manifest.code.items()},
        audit_head=context.marks.audit_head(),
        **Took(0, 1, PRICE_USD, 0.5)._asdict(),
        closed_utc=utc_now(),
        logs=context.logs.prefix_hashes(who.name),
        ledger_bytes=context.ledger.sync(),
    )
    nothing: Strategy | None = None
    at = context.clock(who, candidate.generation)
    closing = context.writer.publish(closing, candidate.code, at, nothing)
    context.logs.add(context.archives[who.name].add(closing.manifest), closing)


def _call(context: RunContext, who: Participant, number: int) -> bytes:
    """Leave in the ledger what a call of a model leaves there, and return its line of the trace."""
    name, used = f"modify/{number}/0", Usage(900 + number % 100, 200 + number % 90)
    account = Account(who.name, number, "modify", name, who.model.name)
    bound = Bound(prompt_tokens=2_000, completion_tokens=2_000, cost_usd=10 * PRICE_USD)
    if reserved := context.ledger.try_reserve(account, bound):
        context.ledger.settle(reserved, used, PRICE_USD)
    call = CallRecord(
        call_id=name,
        timestamp=utc_now(),
        model=who.model.name,
        messages=[{"role": "user", "content": f"Make generation {number} better."}],
        response=f"I looked at generation {number} and changed one line.",
        usage=RecordedUsage(used.prompt_tokens, used.completion_tokens),
        finish="stop",
        purpose="modify",
        item=str(number),
        seconds=0.4,
        cost_usd=PRICE_USD,
    )
    return msgspec.json.encode(call) + b"\n"


def _changed(
    text: str, who: Participant, number: int, sight: VisibleStrategies, chance: Random
) -> str:
    """Return code with a line of its own more, or with lines of a peer's."""
    lines = text.splitlines()[-MOST_LINES:]
    new = [f"{who.name}_{number} = {chance.random()}"]
    if sight.strategies and chance.random() < 0.01:
        new = chance.choice(sight.strategies).files[TASK].splitlines()[-10:]
    return "\n".join([*lines, *new]) + "\n"


def _tell_nobody(_event: Event) -> None:
    pass
