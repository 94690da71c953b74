"""What was found, in lines for a terminal. Words of agents take one line and cannot steer it."""

from collections.abc import Iterable, Iterator, Sequence

from guards.scope.changes import printable
from transfer_experiment.adoption.causal_rule import Adoption
from transfer_experiment.adoption.side_by_side import Comparison
from transfer_experiment.analysis import AgentAnalysis, RunAnalysis
from transfer_experiment.detectors.contradictions import Contradiction
from transfer_experiment.detectors.crashes import Crash
from transfer_experiment.detectors.transfers import Independence, Transfer
from transfer_experiment.outputs.habits import habit_lines
from transfer_experiment.survey import Survey
from transfer_experiment.totals import Best, Totals
from transfer_experiment.turns.evidence import Evidence

MOST_NOTES = 5


def survey_lines(survey: Survey) -> Iterator[str]:
    """Everything of a set of runs, what it comes to last."""
    for run in survey.runs:
        yield from run_lines(run)
    yield from total_lines(survey.totals)


def run_lines(run: RunAnalysis) -> Iterator[str]:
    """Everything of one run."""
    yield heading(run)
    yield from _part("agents", map(_agent, run.agents))
    adoptions = (line for event in run.adoptions for line in _adoption(event))
    yield from _part("adoption events", adoptions)
    yield from _part("where the rules disagree", (_rules(c) for c in run.comparisons if c.why))
    yield from _part("crashes and recoveries", map(_crash, run.crashes))
    yield from _part("what went over", map(_transfer, run.transfers))
    yield from _part("read a peer and went its own way", map(_independence, run.independences))
    claims = (line for found in run.contradictions for line in _contradiction(found))
    yield from _part("claims that the code contradicts", claims)
    yield from _part("habits", habit_lines(run))
    yield from _part("notes", _notes(run.notes))


def heading(run: RunAnalysis) -> str:
    """Which run."""
    return f"{_run_name(run)}  ({printable(run.path)})"


def total_lines(totals: Totals) -> Iterator[str]:
    """What a set of runs comes to."""
    runs = "1 run" if totals.runs == 1 else f"{totals.runs} runs"
    yield f"{runs}, {totals.agents} agents, {totals.generations} generations"
    why = not_known(has_code=totals.with_code > 0, has_traces=totals.with_traces > 0)
    yield f"  adoption events: {_counts(totals.adoptions, why)}"
    yield f"  the rules {_agreement(totals, why)}"
    yield f"  crashes and recoveries: {totals.crashes}"
    yield f"  what went over: {_counts(totals.transfers, why)}"
    yield f"  informed independence: {_number(totals.independences, why)}"
    yield f"  contradicted claims: {_number(totals.contradictions, why)}"
    yield f"  neglects: {_number(totals.neglects, why)}"
    yield f"  habits: {_habits(totals, why)}"
    yield from _incomplete(totals)
    if totals.best_val is not None:
        yield f"  best validation score {totals.best_val:.3f}:"
        for best in totals.best:
            yield f"    {printable(best.agent)} in {_run_name(best)}, generation {best.generation}"


def not_known(*, has_code: bool, has_traces: bool) -> str:
    """What is said where there is nothing that could tell; empty if there is all of it."""
    lacks = [what for what, there in (("code", has_code), ("traces", has_traces)) if not there]
    return f"not known ({', '.join(f'no {what}' for what in lacks)})" if lacks else ""


def _run_name(run: RunAnalysis | Best) -> str:
    return printable(run.pairing) + ("" if run.seed is None else f" seed {run.seed}")


def _agreement(totals: Totals, why: str) -> str:
    if totals.agreed is None:
        return f"side by side: {why}"
    return f"agree on {totals.agreed} and disagree on {totals.disagreed}"


def _habits(totals: Totals, why: str) -> str:
    """Habits by kind; those of which nothing is known are none that were not found."""
    told = {kind: count for kind, count in totals.findings.items() if count is not None}
    found = {kind.replace("_", " "): count for kind, count in told.items() if count}
    if not told:
        return why
    rest = "" if len(told) == len(totals.findings) else f"; the others {why}"
    return f"{_counts(found, why)}{rest}"


def _incomplete(totals: Totals) -> Iterator[str]:
    """Of how many runs the counts tell, if not of all."""
    for what, there in (("code", totals.with_code), ("traces", totals.with_traces)):
        if 0 < there < totals.runs:
            yield f"  {what}: of {there} of {totals.runs} runs; the others tell nothing above"


def efficiency_lines(survey: Survey) -> Iterator[str]:
    """How soon each agent got how far."""
    for run in survey.runs:
        yield heading(run)
        yield from _part("agents", map(_agent, run.agents))


def pattern_lines(survey: Survey) -> Iterator[str]:
    """The habits of each agent."""
    for run in survey.runs:
        yield heading(run)
        yield from _part("habits", habit_lines(run))
        yield from _part("notes", _notes(run.notes))


def _part(title: str, lines: Iterable[str]) -> Iterator[str]:
    """A titled part; nothing if it has no lines."""
    found = list(lines)
    if found:
        yield f"  {title}"
        yield from (f"    {line}" for line in found)


def _agent(agent: AgentAnalysis) -> str:
    found = agent.efficiency
    reached = " ".join(f"{name[1:]}@{at}" for name, at in found.reached.items() if at is not None)
    best = "no score"
    if agent.best_val is not None:
        best = f"best val {agent.best_val:.3f} at generation {agent.best_generation}"
    rate = "" if found.per_generation is None else f", {found.per_generation:.3f} a generation"
    calls = "calls not known" if found.calls is None else f"{found.calls} calls"
    cost = "" if found.calls_per_point is None else f" ({found.calls_per_point:.2f} for each .01)"
    return (
        f"{printable(agent.name)}: {best} of {found.generations - 1}{rate}; "
        f"reached {reached or 'none'}; {calls}{cost}"
    )


def _adoption(event: Adoption) -> Iterator[str]:
    scores = f"val {_score(event.score_before)} -> {_score(event.score_after)}"
    strategy = printable(event.strategy.rpartition("/")[2])
    valid = "" if event.valid else ", not valid"
    yield (
        f"gen {event.generation}: {printable(event.agent)} <- {strategy}, {event.rule} rule: "
        f"{event.verdict}{valid}; ratio {event.ratio:.3f}, {scores}, "
        f"{event.peer_lines} lines of the peer"
    )
    if event.rule == "causal" and event.verdict != "coincident":
        yield from (f"    {_evidence(item)}" for item in _telling(event.evidence))


def _telling(evidence: Sequence[Evidence]) -> Iterator[Evidence]:
    """The last piece of each rank: it is the one nearest to the change."""
    for rank in ("host-observed", "claimed"):
        yield from [item for item in evidence if item.rank == rank][-1:]


def _evidence(item: Evidence) -> str:
    word = "read" if item.rank == "host-observed" else "says"
    return f"{word} {printable(item.file)}:{item.line} {printable(item.quote)}"


def _rules(found: Comparison) -> str:
    which = "published" if found.causal is None else "causal"
    return (
        f"gen {found.generation}: {printable(found.agent)} <- {printable(found.peer)}, "
        f"{which} rule alone: {printable(found.why)}"
    )


def _crash(found: Crash) -> str:
    return (
        f"gen {found.generation}: {printable(found.agent)} fell from "
        f"{_score(found.score_before)} for {found.length} generations, recovered in generation "
        f"{found.recovered} with {found.score_after:.3f}"
    )


def _transfer(found: Transfer) -> str:
    lines = f"{found.lines} lines" if found.basis == "code" else "by its own words"
    strategy = printable(found.strategy.rpartition("/")[2])
    return f"gen {found.generation}: {printable(found.agent)} <- {strategy}, {found.kind} ({lines})"


def _independence(found: Independence) -> str:
    strategy = printable(found.strategy.rpartition("/")[2])
    scores = f"val {_score(found.score_before)} -> {_score(found.score_after)}"
    return f"gen {found.generation}: {printable(found.agent)} read {strategy}; {scores}"


def _contradiction(found: Contradiction) -> Iterator[str]:
    agent, fact = printable(found.agent), printable(found.fact)
    yield f"gen {found.generation}: {agent} claims an {found.kind}; {fact}"
    yield from (f"    {_evidence(item)}" for item in found.evidence)


def _notes(notes: Sequence[str]) -> Iterator[str]:
    yield from map(printable, notes[:MOST_NOTES])
    if len(notes) > MOST_NOTES:
        yield f"and {len(notes) - MOST_NOTES} more (--json has all)"


def _counts(counts: dict[str, int] | None, why: str) -> str:
    if counts is None:
        return why
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "none"


def _number(count: int | None, why: str) -> str:
    return why if count is None else str(count)


def _score(score: float | None) -> str:
    return "-" if score is None else f"{score:.3f}"
