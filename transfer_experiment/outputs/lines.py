"""The analysis in lines for a terminal. Words of agents take one line and cannot steer it."""

from collections.abc import Iterable, Iterator, Sequence

from guards.scope.changes import printable
from hyperspace.reporting.lines import counted, score
from transfer_experiment.adoption.events import Adoption
from transfer_experiment.analysis import AgentAnalysis, RunAnalysis
from transfer_experiment.detectors import all_detectors, all_kinds
from transfer_experiment.findings.telling import ranked_quote
from transfer_experiment.survey import BestAgent, Count, RunsSurvey, Totals
from transfer_experiment.turns.path_step import PathStep

MOST_NOTES = 5


def survey_lines(survey: RunsSurvey) -> Iterator[str]:
    """Tell everything of a set of runs, the totals last."""
    for run in survey.runs:
        yield from run_lines(run)
    yield from total_lines(survey.totals)


def run_lines(run: RunAnalysis) -> Iterator[str]:
    """Tell everything of one run."""
    yield heading(run)
    yield from _part("agents", map(_agent, run.agents))
    adoptions = (line for event in run.adoptions for line in _adoption(event))
    yield from _part("adoption events", adoptions)
    disagreements = (
        f"gen {row.generation}: {printable(row.agent)} <- {printable(row.peer)}, "
        f"{'published' if row.causal is None else 'causal'} rule alone: {printable(row.why)}"
        for row in run.comparisons
        if row.why
    )
    yield from _part("where the rules disagree", disagreements)
    for kind in all_kinds():
        if kind.section == "events":
            yield from _part(kind.title, kind.tell(kind.title, run.findings.of(kind.name)))
    yield from _part("habits", _habit_lines(run))
    yield from _part("notes", _notes(run.notes))


def heading(run: RunAnalysis) -> str:
    """Name a run and its path, and say where lower scores are better."""
    lower = ", lower is better" if run.higher_is_better is False else ""
    return f"{_run_name(run)}  ({printable(run.path)}){lower}"


def total_lines(totals: Totals) -> Iterator[str]:
    """Tell the totals of a set of runs."""
    yield f"{counted(totals.runs, 'run')}, {totals.agents} agents, {totals.generations} generations"
    why = not_known(has_code=totals.with_code > 0, has_traces=totals.with_traces > 0)
    yield f"  adoption events: {_counts(totals.adoptions, why)}"
    if totals.agreed is None:
        yield f"  the rules side by side: {why}"
    else:
        yield f"  the rules agree on {totals.agreed} and disagree on {totals.disagreed}"
    for kind in all_kinds():
        if kind.name in totals.own:
            yield f"  {kind.label or kind.name}: {_counts(totals.own[kind.name], why)}"
    yield f"  habits: {_habits(totals, why)}"
    for what, there in (("code", totals.with_code), ("traces", totals.with_traces)):
        if 0 < there < totals.runs:
            yield f"  {what}: of {there} of {totals.runs} runs; the others tell nothing above"
    if totals.best_val is not None:
        yield f"  best validation score {totals.best_val:.3f}:"
        for best in totals.best:
            yield f"    {printable(best.agent)} in {_run_name(best)}, generation {best.generation}"
    yield from _left_out(totals)


def not_known(*, has_code: bool, has_traces: bool) -> str:
    """Return what is said where nothing could tell; empty if code and traces are there."""
    lacks = [what for what, there in (("code", has_code), ("traces", has_traces)) if not there]
    return f"not known ({', '.join(f'no {what}' for what in lacks)})" if lacks else ""


def _run_name(run: RunAnalysis | BestAgent) -> str:
    return printable(run.pairing) + ("" if run.seed is None else f" seed {run.seed}")


def _habits(totals: Totals, why: str) -> str:
    """Habits by kind; those of which nothing is known are none that were not found."""
    counted = {kind: count for kind, count in totals.habits.items() if count is not None}
    if not counted:
        return why
    labels = {kind.name: kind.label or kind.name.replace("_", " ") for kind in all_kinds()}
    counts = {
        labels[kind]: count for kind, count in counted.items() if isinstance(count, int) and count
    }
    rest = "" if len(counted) == len(totals.habits) else f"; the others {why}"
    return f"{_counts(counts, why)}{rest}"


def _habit_lines(run: RunAnalysis) -> Iterator[str]:
    """Tell the habits of each agent, then those of the run; nothing for what was not found."""
    habits = [detector for detector in all_detectors() if detector.kind.section == "habits"]
    for agent in run.agents:
        for detector in habits:
            if detector.in_run is None:
                kind = detector.kind
                own = [f for f in run.findings.of(kind.name) if f.agent == agent.name]
                yield from kind.tell(kind.title, own)
    for detector in habits:
        if detector.in_run is not None:
            kind = detector.kind
            yield from kind.tell(kind.title, run.findings.of(kind.name))


def efficiency_lines(survey: RunsSurvey) -> Iterator[str]:
    """Tell how soon each agent got how far."""
    for run in survey.runs:
        yield heading(run)
        yield from _part("agents", map(_agent, run.agents))
    yield from _left_out(survey.totals)


def pattern_lines(survey: RunsSurvey) -> Iterator[str]:
    """Tell the habits of each agent."""
    for run in survey.runs:
        yield heading(run)
        yield from _part("habits", _habit_lines(run))
        yield from _part("notes", _notes(run.notes))
    yield from _left_out(survey.totals)


def _left_out(totals: Totals) -> Iterator[str]:
    yield from _part("left out", _notes(totals.left_out))


def _part(title: str, lines: Iterable[str]) -> Iterator[str]:
    """A titled part; nothing if it has no lines."""
    for number, line in enumerate(lines):
        if number == 0:
            yield f"  {title}"
        yield f"    {line}"


def _agent(agent: AgentAnalysis) -> str:
    soon = agent.efficiency
    reached = " ".join(f"{name[1:]}@{at}" for name, at in soon.reached.items() if at is not None)
    best = "no score"
    if agent.best_val is not None:
        best = f"best val {agent.best_val:.3f} at generation {agent.best_generation}"
    rate = "" if soon.per_generation is None else f", {soon.per_generation:.3f} a generation"
    calls = "calls not known" if soon.calls is None else f"{soon.calls} calls"
    cost = "" if soon.calls_per_point is None else f" ({soon.calls_per_point:.2f} for each .01)"
    return (
        f"{printable(agent.name)}: {best} of {soon.generations - 1}{rate}; "
        f"reached {reached or 'none'}; {calls}{cost}"
    )


def _adoption(event: Adoption) -> Iterator[str]:
    scores = f"val {score(event.score_before)} -> {score(event.score_after)}"
    strategy = printable(event.strategy.rpartition("/")[2])
    valid = "" if event.valid else ", not valid"
    yield (
        f"gen {event.generation}: {printable(event.agent)} <- {strategy}, {event.rule} rule: "
        f"{event.verdict}{valid}; ratio {event.ratio:.3f}, {scores}, "
        f"{event.peer_lines} lines of the peer"
    )
    if event.rule == "causal" and event.path:
        yield f"    path: {path_line(event.path)}"
    if event.rule == "causal" and event.verdict != "coincident":
        for rank in ("host-observed", "claimed"):
            # the last piece of a rank is the one nearest to the change
            of_rank = [item for item in event.evidence if item.rank == rank]
            yield from (f"    {ranked_quote(item)}" for item in of_rank[-1:])


def path_line(path: Sequence[PathStep]) -> str:
    """Tell a path in one line: what happened, where that stands, and after which reply."""
    return "; ".join(map(_step, path))


def _step(step: PathStep) -> str:
    place = printable(step.file) + (f":{step.line}" if step.line else "")
    when = "" if step.step is None else f" (step {step.step})"
    return f"{step.kind.replace('_', ' ')} {place}{when}"


def _notes(notes: Sequence[str]) -> Iterator[str]:
    yield from map(printable, notes[:MOST_NOTES])
    if len(notes) > MOST_NOTES:
        yield f"and {len(notes) - MOST_NOTES} more (--json has all)"


def _counts(count: Count, why: str) -> str:
    """A count, or counts by name; the reason why where it is not known."""
    if count is None:
        return why
    if isinstance(count, int):
        return str(count)
    return ", ".join(f"{number} {name}" for name, number in count.items()) or "none"
